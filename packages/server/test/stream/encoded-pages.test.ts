import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Entry } from '@throughline/protocol'
import type { Run } from '@throughline/store'
import { entriesOf } from '@throughline/testing/log/entries-of'
import { anyRun } from '@throughline/testing/stream/any-run'
import { expect, test } from 'vitest'
import { EncodedPages, type Pieces, piecesOf } from '../../src/stream/bytes/encoded-pages.ts'

test('viewers who read a page in the same turn share its bytes', () => {
  const { read, encoded } = watch()
  expect(read(page)).toBe(read(page))
  expect(encoded).toHaveLength(1)
})

test('a page that two viewers have read is there for viewers who come later', async () => {
  const { read, encoded } = watch()
  read(page)
  const pieces = read(page)
  await nextTurn()
  expect(read(page)).toBe(pieces)
  expect(encoded).toHaveLength(1)
})

test('a page that one viewer has read is not kept', async () => {
  const { read, encoded } = watch()
  const pieces = read(page)
  await nextTurn()
  expect(read(page)).toEqual(pieces)
  expect(encoded).toHaveLength(2)
})

test('pages with the same first entry, but with another last entry or of another run, are encoded for themselves', () => {
  const { read, encoded } = watch()
  for (const _ of [1, 2]) {
    expect(read(page.slice(0, 1))).toEqual(bytesOf('1'))
    expect(read(page)).toEqual(bytesOf('1 2 3'))
    expect(read(page)).toEqual(bytesOf('1 2 3'))
  }
  read(page, anyRun)
  expect(encoded).toHaveLength(4)
})

test('a page without entries has no bytes', () => {
  const { read, encoded } = watch()
  expect(read([])).toEqual([])
  expect(encoded).toHaveLength(0)
})

const page = entriesOf([{ type: 'start' }, { type: 'start-step' }, { type: 'finish-step' }], {
  messageId: 'answer',
})

function bytesOf(text: string): Pieces {
  return piecesOf([text])
}

/** Reads pages as numbers of entries, and knows which ones were encoded for it. */
function watch() {
  const pages = new EncodedPages()
  const encoded: (readonly Entry[])[] = []
  const encode = (entries: readonly Entry[]) => {
    encoded.push(entries)
    return bytesOf(entries.map(({ seq }) => seq).join(' '))
  }
  return { encoded, read: (entries: readonly Entry[], run?: Run) => pages.once(encode, run)(entries) }
}
