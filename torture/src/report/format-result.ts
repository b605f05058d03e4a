import type { Violation } from '@throughline/protocol/history'
import type { ScenarioResult } from '../scenarios/run-scenario.ts'
import type { Unit } from '../scenarios/tally.ts'

/** Returns what a scenario did and found, on one line. */
export function formatResult(result: ScenarioResult, unit: Unit): string {
  const { name, seed, durationMs, violations } = result
  const seconds = durationMs / 1_000
  const notes = Object.entries(result.notes).map(([note, count]) => `${countOf(count)} ${note}`)
  return [
    name.padEnd(12),
    `${countOf(result.done)} ${unit}${notes.length === 0 ? '' : ` (${notes.join(', ')})`}, ${countOf(result.runs)} runs, `,
    `${countOf(result.shownChunks)} shown chunks: `,
    `${damageOf(violations)}. `,
    result.stopsMs.length === 0 ? '' : `Stops: p99 ${percentile(result.stopsMs, 0.99).toFixed(0)} ms. `,
    takeoversOf(result),
    `Seed ${seed}, ${seconds.toFixed(0)} s, ${(result.done / seconds).toFixed(1)} ${unit}/s`,
  ].join('')
}

/** Returns how often each thing happened that must never happen. */
export function damageOf(violations: readonly Violation[]): string {
  const count = (kind: Violation['kind']) => violations.filter(each => each.kind === kind).length
  const others = count('other')
  const stale = count('stale')
  return [
    `${count('lost')} lost`,
    `${count('doubled')} doubled`,
    `${count('wrong-bytes')} wrong bytes`,
    `${count('left-running')} runs left running`,
    ...(stale === 0 ? [] : [`${stale} stale appends`]),
    ...(others === 0 ? [] : [`${others} other violations`]),
  ].join(', ')
}

/** Returns how many runs were taken over and how long they stood still, as a sentence. Empty when there are none. */
export function takeoversOf({ takeoversMs }: Pick<ScenarioResult, 'takeoversMs'>): string {
  if (takeoversMs.length === 0) return ''
  const seconds = (share: number) => (percentile(takeoversMs, share) / 1_000).toFixed(1)
  return `${countOf(takeoversMs.length)} takeovers: p50 ${seconds(0.5)} s, max ${seconds(1)} s. `
}

/** Returns what is wrong, and the command that repeats the case. Empty when nothing is wrong. */
export function formatViolations({ name, violations, failedSeed }: ScenarioResult): string {
  if (failedSeed === undefined) return ''
  // One of each invariant comes first.
  const [firsts, others] = [new Map<string, Violation>(), new Set(violations)]
  for (const violation of violations)
    if (!firsts.has(violation.invariant)) firsts.set(violation.invariant, violation)
  for (const first of firsts.values()) others.delete(first)
  const shown = [...firsts.values(), ...others]
    .slice(0, 5)
    .map(({ invariant, kind, chatId, detail }) => `  ${invariant} (${kind}), ${chatId}: ${detail}`)
  return [
    ...shown,
    ...(violations.length > shown.length ? [`  … and ${violations.length - shown.length} more`] : []),
    `  Repeat it: ${repeatCommand(name, failedSeed)}`,
  ].join('\n')
}

/** Timing is the machine's: a case may have to be repeated a few times until it fails again. */
export function repeatCommand(name: string, seed: number): string {
  return `npm run torture -- --only ${name} --seed ${seed} --cases 1`
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

export function countOf(count: number): string {
  return count.toLocaleString('en-US')
}
