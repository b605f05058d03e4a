import type { Entry } from '@throughline/protocol'
import { appendAtEnd } from '@throughline/testing/log/append-at-end'
import { testLog, textDraft } from '@throughline/testing/log/log-drafts'
import { expect, test } from 'vitest'
import { createMemoryLogStore } from '../src/memory-log-store.ts'
import { readBetween } from '../src/read-between.ts'

const log = testLog('chat')

async function logOf(count: number) {
  const store = createMemoryLogStore()
  const lease = await store.acquire(log)
  await appendAtEnd(
    store,
    lease,
    Array.from({ length: count }, (_, index) => textDraft(`${index + 1}`)),
  )
  return { store, epoch: lease.head.epoch }
}

const seqsOf = (pages: readonly (readonly Entry[])[]) => pages.flat().map(({ seq }) => seq)

test('gives every entry after the position, up to the last number, once and in order', async () => {
  const { store, epoch } = await logOf(1_300)
  const pages = await Array.fromAsync(readBetween(store, log, { after: { epoch, seq: 7 }, upTo: 1_200 }))
  expect(seqsOf(pages)).toEqual(Array.from({ length: 1_193 }, (_, index) => index + 8))
  expect(pages.length).toBeGreaterThan(1)
})

test('gives nothing for an empty range, and ends with the log when the range is longer', async () => {
  const { store, epoch } = await logOf(3)
  const read = (seq: number, upTo: number) =>
    Array.fromAsync(readBetween(store, log, { after: { epoch, seq }, upTo }))
  expect(await read(2, 2)).toEqual([])
  expect(await read(3, 1)).toEqual([])
  expect(seqsOf(await read(1, 9))).toEqual([2, 3])
})

test('throws for a position that the log does not have', async () => {
  const { store } = await logOf(3)
  const pages = readBetween(store, log, { after: { epoch: 'another', seq: 0 }, upTo: 3 })
  await expect(pages.next()).rejects.toMatchObject({ code: 'unknown-position' })
})
