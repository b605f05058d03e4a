import { heldWrites } from '@throughline/testing/faults/held-writes'
import { draftOf, textDraft } from '@throughline/testing/log/log-drafts'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { batchDeltas } from '../src/batch-deltas.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const end = draftOf({ type: 'text-end', id: 'text' })

test('with a gap, deltas that come before it is over are joined, and written when it is over', async () => {
  const log = heldWrites()
  const batch = batchDeltas(log.append, { minGapMs: () => 100 })
  await batch.emit(textDraft('first'))
  await log.finish()
  await batch.emit(textDraft('twelve chars'))
  vi.advanceTimersByTime(60)
  await batch.emit(textDraft(' and twelve more'))
  expect(log.started).toEqual([[textDraft('first')]])
  vi.advanceTimersByTime(40)
  expect(log.started.at(-1)).toEqual([textDraft('twelve chars and twelve more')])
  await log.finish()
  expect(vi.getTimerCount()).toBe(0)
})

test('neither flush nor the first delta of a part nor a full queue waits for the gap', async () => {
  const log = heldWrites()
  const batch = batchDeltas(log.append, { minGapMs: () => 60_000, maxWaitingChars: 100 })
  await batch.emit(textDraft('first'))
  await log.finish()
  await batch.emit(end)
  const flushed = batch.flush()
  expect(log.started.at(-1)).toEqual([end])
  await log.finish()
  await flushed
  await batch.emit(textDraft('of the next part'))
  expect(log.started.at(-1)).toEqual([textDraft('of the next part')])
  await log.finish()
  await batch.emit(textDraft('x'.repeat(101)))
  expect(log.started.at(-1)).toEqual([textDraft('x'.repeat(101))])
})
