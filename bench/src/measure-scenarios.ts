import { recordOf } from './record/bench-record.ts'
import { writeRecord } from './record/write-record.ts'
import { heading, type Section } from './report.ts'
import type { Scenarios } from './scenario.ts'
import { UsageError } from './usage-error.ts'

/** A bench that consists of scenarios, such as `npm run bench -- load`. */
export interface Bench<Options> {
  readonly name: string
  readonly usage: string
  readonly scenarios: Scenarios<Options>
  /** What else it runs on, beside the machine. */
  readonly ranOn?: string
}

/** Which scenarios are measured, and whether they are recorded. */
export interface Choice {
  /** Empty: all of them. */
  readonly names: readonly string[]
  /** Whether the figures are written to bench/NAME-record.jsonl and to the documentation. */
  readonly isRecorded: boolean
}

/** Throws a `UsageError` when a name is not that of a scenario. */
export function assertScenarios<Options>(
  { usage, scenarios }: Bench<Options>,
  names: readonly string[],
): void {
  const unknown = names.find(name => !Object.hasOwn(scenarios, name))
  if (unknown === undefined) return
  const known = Object.keys(scenarios).join(', ')
  throw new UsageError(`There is no scenario "${unknown}". There are ${known}. Usage: ${usage}`)
}

/** Measures the chosen scenarios one after the other. */
export async function* measureScenarios<Options extends Choice>(
  { name: bench, scenarios, ranOn }: Bench<Options>,
  options: Options,
): AsyncGenerator<Section> {
  for (const [name, measure] of Object.entries(scenarios)) {
    if (options.names.length > 0 && !options.names.includes(name)) continue
    const result = await measure(options)
    if (options.isRecorded) {
      const machine = heading(new Date())
        .replace(/^Throughline bench, /, '')
        .replace('\n', ', ')
      const measured = ranOn === undefined ? machine : `${machine}, ${ranOn}`
      await writeRecord(bench, recordOf(name, measured, result), result.pictures ?? [])
    }
    const { section } = result
    yield ranOn === undefined ? section : { ...section, notes: [...section.notes, `On ${ranOn}.`] }
  }
}
