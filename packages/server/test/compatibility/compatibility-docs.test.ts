import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { fromRoot, plain, tablesIn } from './docs-tables.ts'
import { columns, matrix, type Row } from './matrix.ts'
import { type Meaning, words } from './words.ts'

const rows: Readonly<Record<string, Row>> = { ...matrix.node, ...matrix.page, ...matrix.browser }
const [cells, legend, clients] = await tablesIn('docs/compatibility.md')

test('the table in the docs has the rows, the columns and the words that are tested', () => {
  const tested = Object.entries(rows).map(([name, row]) => [
    name,
    ...columns.map(column => row.cells[column].join(', ')),
  ])
  expect(cells?.header).toEqual(['client', ...columns])
  expect(cells?.rows.toSorted()).toEqual(tested.toSorted())
})

test('the docs explain every word, as it is tested', () => {
  const meanings: Readonly<Record<string, Meaning>> = words
  expect(legend?.rows).toEqual(Object.entries(meanings).map(([word, { means }]) => [word, plain(means)]))
})

test('the docs say of every client how to connect it, in the version that is tested', async () => {
  const tested = Object.entries(rows).map(async ([name, row]) => [name, await versionOf(row.package)])
  const told = clients?.rows.map(([name, version]) => [name, version]) ?? []
  expect(told.toSorted()).toEqual((await Promise.all(tested)).toSorted())
})

async function versionOf(name: string): Promise<string> {
  const { version } = JSON.parse(await readFile(fromRoot(`node_modules/${name}/package.json`), 'utf8'))
  return version
}
