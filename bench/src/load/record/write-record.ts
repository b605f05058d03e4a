import { readFile, writeFile } from 'node:fs/promises'
import { withLoadTables } from './load-markdown.ts'
import type { LoadPicture } from './load-pictures.ts'
import { type LoadRecord, recordsFrom, withRecord } from './load-record.ts'

const root = new URL('../../../../', import.meta.url)

/** The files that `--record` changes. */
const recordFiles = {
  records: new URL('bench/load-record.jsonl', root),
  page: new URL('docs/benchmarks.md', root),
  images: new URL('docs/images/', root),
}

/** Writes a record, its pictures, and the tables of all records in docs/benchmarks.md. */
export async function writeRecord(record: LoadRecord, pictures: readonly LoadPicture[]): Promise<void> {
  const { records, page, images } = recordFiles
  const text = withRecord(recordsFrom(await textOf(records)), record)
  await writeFile(records, text)
  for (const { file, svg } of pictures) await writeFile(new URL(file, images), svg)
  await writeFile(page, withLoadTables(await readFile(page, 'utf8'), recordsFrom(text)))
}

/** Returns the records so far. There is no file before the first record. */
async function textOf(file: URL): Promise<string> {
  return readFile(file, 'utf8').catch(error => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
}
