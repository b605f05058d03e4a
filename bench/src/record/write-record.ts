import { readFile, writeFile } from 'node:fs/promises'
import type { ScenarioPicture } from '../scenario.ts'
import { type BenchRecord, recordsFrom, withRecord } from './bench-record.ts'
import { withTables } from './record-tables.ts'

const root = new URL('../../../', import.meta.url)
const page = new URL('docs/benchmarks.md', root)
const images = new URL('docs/images/', root)

/** Writes a record of a bench, its pictures, and the tables of all records of this bench in docs/benchmarks.md. */
export async function writeRecord(
  bench: string,
  record: BenchRecord,
  pictures: readonly ScenarioPicture[],
): Promise<void> {
  const records = new URL(`bench/${bench}-record.jsonl`, root)
  const text = withRecord(recordsFrom(await textOf(records)), record)
  await writeFile(records, text)
  for (const { file, svg } of pictures) await writeFile(new URL(file, images), svg)
  await writeFile(page, withTables(await readFile(page, 'utf8'), bench, recordsFrom(text)))
}

/** Returns the records so far. There is no file before the first record. */
async function textOf(file: URL): Promise<string> {
  return readFile(file, 'utf8').catch(error => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
}
