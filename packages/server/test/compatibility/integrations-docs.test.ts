import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { columns, matrix, type Row } from '../../../../integrations/matrix.ts'
import { type Meaning, words } from '../../../../integrations/words.ts'
import { fromRoot, plain, tablesIn } from './docs-tables.ts'

// The clients themselves are installed and tested by `npm run test:integrations`. The docs are held to that table here.
const rows: Readonly<Record<string, Row>> = matrix
const [, , , cells, legend, clients] = await tablesIn('docs/compatibility.md')

test('the table of pages in the docs has the rows, the columns and the words that are tested', () => {
  const tested = Object.entries(rows).map(([name, row]) => [
    plain(name),
    ...columns.map(column => row.cells[column].join(', ')),
  ])
  expect(cells?.header).toEqual(['page', ...columns])
  expect(cells?.rows).toEqual(tested)
})

test('the docs explain every word of the table of pages, as it is tested', () => {
  const meanings: Readonly<Record<string, Meaning>> = words
  expect(legend?.rows).toEqual(Object.entries(meanings).map(([word, { means }]) => [word, plain(means)]))
})

test('the docs say of every page how to connect it, in the version that is installed', async () => {
  const tested = Object.entries(rows).map(async ([name, row]) => [plain(name), await installed(row)])
  const told = clients?.rows.map(([name, version]) => [name, version])
  expect(told).toEqual(await Promise.all(tested))
})

const lockSchema = z.object({ packages: z.record(z.string(), z.object({ version: z.string().optional() })) })

async function installed({ folder, package: name }: Row): Promise<string> {
  const lock = await readFile(fromRoot(`integrations/${folder}/package-lock.json`), 'utf8')
  const { packages } = lockSchema.parse(JSON.parse(lock))
  return `${name} ${packages[`node_modules/${name}`]?.version}`
}
