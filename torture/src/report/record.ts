import { readFile, writeFile } from 'node:fs/promises'
import { cpus } from 'node:os'
import type { ScenarioResult } from '../scenarios/run-scenario.ts'
import type { Unit } from '../scenarios/tally.ts'
import { countOf, damageOf, takeoversOf } from './format-result.ts'

export interface RecordedRun {
  readonly at: Date
  readonly results: readonly (ScenarioResult & { readonly unit: Unit })[]
}

const page = new URL('../../../docs/torture.md', import.meta.url)
const begin = '<!-- record: written by npm run torture -- --record -->'
const end = '<!-- end of the record -->'

/** Writes the record of a run into docs/torture.md. Scenarios that were not part of it keep their records. */
export async function writeRecord(run: RecordedRun): Promise<void> {
  await writeFile(page, withRecord(await readFile(page, 'utf8'), run))
}

/** Returns the page with another record. Throws when the page has no place for it. */
export function withRecord(text: string, run: RecordedRun): string {
  const from = text.indexOf(begin)
  const to = text.indexOf(end)
  if (from === -1 || to < from)
    throw new Error(
      `docs/torture.md has no place for the record. Put these two lines into it:\n${begin}\n${end}`,
    )
  const rows = rowsIn(text.slice(from, to))
  for (const result of run.results) rows.set(result.name, rowOf(result, run.at))
  return `${text.slice(0, from + begin.length)}\n\n${tableOf(rows)}\n\n${text.slice(to)}`
}

/** Returns the rows of a table by their scenario. */
function rowsIn(table: string): Map<string, string> {
  const rows = table.split('\n').filter(line => /^\| [a-z]/.test(line) && !line.startsWith('| scenario'))
  return new Map(rows.map(row => [row.split('|')[1]?.trim() ?? '', row]))
}

function tableOf(rows: ReadonlyMap<string, string>): string {
  return [
    '| scenario | | runs | shown chunks | found | seed | time | measured |',
    '|---|---|---|---|---|---|---|---|',
    ...rows.values(),
  ].join('\n')
}

function foundIn(result: RecordedRun['results'][number]): string {
  return [damageOf(result.violations), takeoversOf(result).replace(/\. $/, '')]
    .filter(text => text !== '')
    .join('; ')
}

function rowOf(result: RecordedRun['results'][number], at: Date): string {
  const { name, done, unit, runs, shownChunks, seed, durationMs } = result
  const minutes = `${(durationMs / 60_000).toFixed(1)} min`
  const cells = [
    name,
    `${countOf(done)} ${unit}`,
    countOf(runs),
    countOf(shownChunks),
    foundIn(result),
    seed,
    minutes,
    `${at.toISOString().slice(0, 10)}, ${machine()}`,
  ]
  return `| ${cells.join(' | ')} |`
}

function machine(): string {
  const [cpu] = cpus()
  return `${cpus().length} cores of ${cpu?.model.trim() ?? 'an unknown CPU'}, Node ${process.version}`
}
