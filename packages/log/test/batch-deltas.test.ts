import type { EntryDraft } from '@throughline/protocol'
import { heldWrites, settle } from '@throughline/testing/faults/held-writes'
import { draftOf, endDraft, textDraft } from '@throughline/testing/log/log-drafts'
import { promiseState, unsettled } from '@throughline/testing/waits/promise-state'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { batchDeltas } from '../src/batch-deltas.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const start = draftOf({ type: 'text-start', id: 'text' })
const end = draftOf({ type: 'text-end', id: 'text' })

/** Returns a batch with one part, whose first delta is written already. */
async function begun() {
  const log = heldWrites()
  const batch = batchDeltas(log.append)
  await batch.emit(textDraft('first'))
  await log.finish()
  return { log, batch }
}

test('the first delta of a part is written without waiting for the timer', async () => {
  const log = heldWrites()
  const batch = batchDeltas(log.append)
  await batch.emit(start)
  await batch.emit(textDraft('a'))
  expect(log.started).toEqual([[start, textDraft('a')]])
  expect(vi.getTimerCount()).toBe(0)
})

test('the start of a text without a delta is written after 50 ms, or with the next chunk', async () => {
  const log = heldWrites()
  const batch = batchDeltas(log.append)
  await batch.emit(start)
  vi.advanceTimersByTime(49)
  expect(log.isUnderWay).toBe(false)
  vi.advanceTimersByTime(1)
  expect(log.started).toEqual([[start]])
  await log.finish()

  const reasoning = draftOf({ type: 'reasoning-start', id: 'reasoning' })
  await batch.emit(reasoning)
  await batch.emit(endDraft)
  expect(log.started.at(-1)).toEqual([reasoning, endDraft])
  expect(vi.getTimerCount()).toBe(0)
})

test('flush writes the start of a text that waits for its first delta', async () => {
  const log = heldWrites()
  const batch = batchDeltas(log.append)
  await batch.emit(start)
  const flushed = batch.flush()
  expect(log.started).toEqual([[start]])
  await log.finish()
  await flushed
  expect(vi.getTimerCount()).toBe(0)
})

test('an id that is used again has a first delta again, however the part before it ended', async () => {
  for (const between of [
    [end, start],
    [draftOf({ type: 'reset-step' }), start],
    [endDraft, start],
  ]) {
    const { log, batch } = await begun()
    for (const draft of between) await batch.emit(draft)
    await log.finishAll()
    await batch.emit(textDraft('a'))
    expect(log.started.at(-1)).toEqual([textDraft('a')])
  }
})

test('the end of one part does not hurry the deltas of another', async () => {
  const { log, batch } = await begun()
  await batch.emit(draftOf({ type: 'reasoning-end', id: 'other' }))
  await log.finishAll()
  await batch.emit(textDraft('a'))
  expect(log.isUnderWay).toBe(false)
})

test('a delta of fewer than 10 characters waits 50 ms, together with those that come meanwhile', async () => {
  const { log, batch } = await begun()
  await batch.emit(textDraft('ab'))
  vi.advanceTimersByTime(49)
  await batch.emit(textDraft('cd'))
  expect(log.isUnderWay).toBe(false)
  vi.advanceTimersByTime(1)
  expect(log.started.at(-1)).toEqual([textDraft('abcd')])
  expect(vi.getTimerCount()).toBe(0)
})

test('with 10 characters a delta is written at once', async () => {
  const { log, batch } = await begun()
  await batch.emit(textDraft('12345678'))
  await batch.emit(textDraft('9'))
  expect(log.isUnderWay).toBe(false)
  await batch.emit(textDraft('0'))
  expect(log.started.at(-1)).toEqual([textDraft('1234567890')])
  expect(vi.getTimerCount()).toBe(0)
})

test('what is no delta is written at once, after everything that waits', async () => {
  const { log, batch } = await begun()
  await batch.emit(textDraft('ab'))
  await batch.emit(end)
  expect(log.started.at(-1)).toEqual([textDraft('ab'), end])
  expect(vi.getTimerCount()).toBe(0)
})

test('what comes during a write makes up the next one', async () => {
  const { log, batch } = await begun()
  const other = (text: string) => textDraft(text, { messageId: 'other' })
  await batch.emit(end)
  for (const draft of [start, textDraft('a'), other('x'), textDraft('b'), other('y')]) await batch.emit(draft)
  expect(log.started.at(-1)).toEqual([end])
  await log.finish()
  expect(log.started.at(-1)).toEqual([start, textDraft('ab'), other('xy')])
})

test('deltas of different kinds, parts and messages are not joined', async () => {
  const log = heldWrites()
  const batch = batchDeltas(log.append)
  const drafts = [
    textDraft('a'),
    textDraft('b', { id: 'other' }),
    textDraft('c', { messageId: 'other' }),
    draftOf({ type: 'reasoning-delta', id: 'text', delta: 'd' }),
    draftOf({ type: 'tool-input-delta', toolCallId: 'text', inputTextDelta: 'e' }),
  ]
  await batch.emit(start)
  for (const draft of drafts) await batch.emit(draft)
  await log.finishAll()
  expect(log.started.flat()).toEqual([start, ...drafts])
})

test('a joined delta has the last provider metadata that came', async () => {
  const { log, batch } = await begun()
  const delta = (text: string, maker?: string): EntryDraft =>
    draftOf({
      type: 'text-delta',
      id: 'text',
      delta: text,
      ...(maker === undefined ? {} : { providerMetadata: { [maker]: { kept: true } } }),
    })
  for (const draft of [delta('a', 'one'), delta('b', 'two'), delta('c')]) await batch.emit(draft)
  void batch.flush()
  expect(log.started.at(-1)).toEqual([delta('abc', 'two')])
  await log.finishAll()
})

test('flush resolves once everything emitted before it is written', async () => {
  const { log, batch } = await begun()
  await batch.emit(end)
  await batch.emit(textDraft('ab'))
  const flushed = batch.flush()
  expect(await promiseState(flushed)).toEqual(unsettled)
  await log.finish()
  expect(log.started.at(-1)).toEqual([textDraft('ab')])
  expect(await promiseState(flushed)).toEqual(unsettled)
  await log.finish()
  await flushed
  expect(log.finished).toBe(3)
})

test('flush does not wait for what is emitted after it', async () => {
  const { log, batch } = await begun()
  await batch.emit(end)
  await batch.emit(start)
  const flushed = batch.flush()
  await batch.emit(textDraft('late'))
  await log.finish()
  expect(await promiseState(flushed)).toEqual(unsettled)
  // This write has the start, which came before the flush. Another one is under way when the flush resolves.
  await batch.emit(endDraft)
  await log.finish()
  expect(await promiseState(flushed)).not.toEqual(unsettled)
  expect(log.isUnderWay).toBe(true)
})

test('flush with nothing to write resolves at once and writes nothing', async () => {
  const log = heldWrites()
  await batchDeltas(log.append).flush()
  expect(log.started).toEqual([])
})

test('a write that fails makes emit and flush reject, stops the timer, and nothing is written after it', async () => {
  const { log, batch } = await begun()
  await batch.emit(end)
  await batch.emit(textDraft('ab'))
  vi.advanceTimersByTime(10)
  await batch.emit(textDraft('c', { id: 'other' }))
  const flushed = expect(batch.flush()).rejects.toThrow('disk full')
  await log.fail(new Error('disk full'))
  await flushed
  expect(vi.getTimerCount()).toBe(0)
  await expect(batch.emit(textDraft('d'))).rejects.toThrow('disk full')
  await expect(batch.emit(end)).rejects.toThrow('disk full')
  await expect(batch.flush()).rejects.toThrow('disk full')
  expect(vi.getTimerCount()).toBe(0)
  expect(log.started).toHaveLength(2)
})

test('a write that fails when the timer starts it fails the next emit, not the process', async () => {
  const fail = (): Promise<void> => {
    throw new Error('disk full')
  }
  for (const failing of [fail, async () => fail()]) {
    const writes = [async () => {}, failing]
    const batch = batchDeltas(() => (writes.shift() ?? fail)())
    await batch.emit(textDraft('a'))
    await settle()
    await batch.emit(textDraft('b'))
    vi.advanceTimersByTime(50)
    await settle()
    await expect(batch.emit(textDraft('c'))).rejects.toThrow('disk full')
    await expect(batch.flush()).rejects.toThrow('disk full')
  }
})

test('emit waits while more characters wait for a write than allowed, wherever they wait', async () => {
  const log = heldWrites()
  const batch = batchDeltas(log.append, { maxWaitingChars: 20 })
  await batch.emit(draftOf({ type: 'start-step' }))
  await batch.emit(textDraft('x'.repeat(15)))
  // The delta is now queued before this chunk, and it is not written yet.
  await batch.emit(end)
  await batch.emit(textDraft('x'.repeat(5)))
  const over = batch.emit(textDraft('y'))
  expect(await promiseState(over)).toEqual(unsettled)
  await log.finish()
  await over
  expect(log.started.at(-1)).toEqual([textDraft('x'.repeat(15)), end, textDraft(`${'x'.repeat(5)}y`)])
})

test('emit waits while more than a thousand chunks wait for a write', async () => {
  const log = heldWrites()
  const batch = batchDeltas(log.append)
  for (let count = 0; count < 1025; count += 1) await batch.emit(end)
  const over = batch.emit(end)
  expect(await promiseState(over)).toEqual(unsettled)
  await log.finish()
  await over
  expect(log.started.at(-1)).toHaveLength(1025)
})

test('an emit that waits for room rejects when the write fails', async () => {
  const log = heldWrites()
  const batch = batchDeltas(log.append, { maxWaitingChars: 3 })
  await batch.emit(end)
  const over = expect(batch.emit(textDraft('four'))).rejects.toThrow('disk full')
  await log.fail(new Error('disk full'))
  await over
})
