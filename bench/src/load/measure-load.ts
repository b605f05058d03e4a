import { heading, type Section } from '../report.ts'
import { UsageError } from '../usage-error.ts'
import { type LoadOptions, loadUsage } from './load-options.ts'
import { recordOf } from './record/load-record.ts'
import { writeRecord } from './record/write-record.ts'
import { scenarios } from './scenarios.ts'

/** Measures the scenarios that are named, or all of them. Throws when there is no such scenario. */
export function measureLoad(options: LoadOptions): AsyncIterable<Section> {
  const unknown = options.names.find(name => !Object.hasOwn(scenarios, name))
  if (unknown !== undefined) {
    const known = Object.keys(scenarios).join(', ')
    throw new UsageError(`There is no scenario "${unknown}". There are ${known}. Usage: ${loadUsage}`)
  }
  return measureEach(options)
}

async function* measureEach(options: LoadOptions): AsyncGenerator<Section> {
  for (const [name, measure] of Object.entries(scenarios)) {
    if (options.names.length > 0 && !options.names.includes(name)) continue
    const { section, figures, pictures = [] } = await measure(options)
    if (options.isRecorded) {
      const measured = heading(new Date())
        .replace(/^Throughline bench, /, '')
        .replace('\n', ', ')
      await writeRecord(recordOf(name, { section, figures, pictures, measured }), pictures)
    }
    yield section
  }
}
