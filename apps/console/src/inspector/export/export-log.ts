import type { Entry } from '@throughline/protocol'

/** Returns entries as JSON, one on each line: what `throughline replay --json` prints, too. */
export function jsonLines(entries: readonly Entry[]): string {
  return entries.map(entry => `${JSON.stringify(entry)}\n`).join('')
}

/**
 * Returns one run as a test fixture, which `playRecordedRun` of the testing package plays. The entries are numbered from 1,
 * and their times are milliseconds since the first one. So nothing in it depends on where the run was in its log.
 */
export function runFixture(entries: readonly Entry[]): string {
  const startedAt = entries[0]?.at ?? 0
  const lines = entries.map((entry, index) =>
    JSON.stringify({ ...entry, seq: index + 1, at: Math.max(0, entry.at - startedAt) }),
  )
  return `{"throughlineRun":1,"entries":[\n${lines.join(',\n')}\n]}\n`
}
