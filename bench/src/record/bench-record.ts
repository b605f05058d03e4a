import { z } from 'zod'
import { formatFigure, formatGoal, isMet } from '../report.ts'
import type { ScenarioResult } from '../scenario.ts'

/** What is kept of one scenario. All records together are a file with one line of JSON for each. */
const benchRecord = z.object({
  scenario: z.string(),
  /** The date and the machine. */
  measured: z.string(),
  title: z.string(),
  columns: z.array(z.string()),
  rows: z.array(z.array(z.string())),
  pictures: z.array(z.object({ file: z.string(), alt: z.string() })),
  /** Everything that was measured, for those who want to know more than the rows. */
  figures: z.unknown(),
})

export type BenchRecord = z.infer<typeof benchRecord>

/** Makes the record of a scenario. `measured` is the date and the machine. */
export function recordOf(
  scenario: string,
  measured: string,
  { section, figures, pictures = [] }: ScenarioResult,
): BenchRecord {
  const { title, columns, measurements } = section
  return {
    ...{ scenario, measured, title },
    columns: ['', columns.ours, columns.other, columns.result ?? 'ratio', 'goal'],
    rows: measurements.map(each => [
      each.name,
      each.ours,
      each.other,
      formatFigure(each.ratio, each.unit),
      each.goal === undefined ? '' : `${formatGoal(each)}: ${isMet(each) ? 'met' : 'missed'}`,
    ]),
    pictures: pictures.map(({ file, alt }) => ({ file, alt })),
    figures,
  }
}

/** Reads the records of a file. Throws when a line is not a record. */
export function recordsFrom(text: string): readonly BenchRecord[] {
  const lines = text.split('\n').filter(line => line !== '')
  return lines.map(line => benchRecord.parse(JSON.parse(line)))
}

/** Returns the text of the file with a record. It replaces the record of the same scenario. */
export function withRecord(records: readonly BenchRecord[], record: BenchRecord): string {
  const isKnown = records.some(({ scenario }) => scenario === record.scenario)
  const all = isKnown
    ? records.map(each => (each.scenario === record.scenario ? record : each))
    : [...records, record]
  return all.map(each => `${JSON.stringify(each)}\n`).join('')
}
