import { LogError, type LogName, type LogStore } from '@throughline/log'
import type { Position } from '@throughline/protocol'
import { expect, test } from 'vitest'
import { appendAtEnd } from './append-at-end.ts'
import type { CreateLogStore } from './create-log-store.ts'
import { endDraft, testLog, textDraft } from './log-drafts.ts'

const log = testLog('chat')
const drafts = ['one', 'two', 'three'].map(text => textDraft(text))

/** A log knows its own positions, until it is removed. All others are refused by name. */
export function positionTests(create: CreateLogStore): void {
  test('open makes an empty log once; its epoch stays until the log is removed', async () => {
    await using context = await create()
    const { store } = context
    const [first, again] = await Promise.all([store.open(log), store.open(log)])
    expect(first.seq).toBe(0)
    expect(again).toEqual(first)
    expect((await store.acquire(log)).head).toEqual(first)
    await store.remove(log)
    const made = await store.open(log)
    expect(made.seq).toBe(0)
    expect(made.epoch).not.toBe(first.epoch)
    expect((await store.open(testLog('other'))).epoch).not.toBe(made.epoch)
  })

  test('removing a log that is not there changes nothing', async () => {
    await using context = await create()
    const { store } = context
    const lease = await store.acquire(log)
    await appendAtEnd(store, lease, drafts)
    await store.remove(testLog('missing'))
    expect(await store.read(log, lease.head, 10)).toHaveLength(3)
  })

  test('positions that are unknown, in the future, negative or of another log are refused by name', async () => {
    await using context = await create()
    const { store } = context
    const lease = await store.acquire(log)
    const { epoch } = lease.head
    await appendAtEnd(store, lease, drafts)
    const foreign = await store.open(testLog('chat', 'bob'))
    await expectUnknown(store, testLog('missing'), { epoch, seq: 0 })
    await expectUnknown(store, log, foreign)
    await expectUnknown(store, log, { epoch: '', seq: 0 })
    for (const seq of [4, 1_000_000, Number.MAX_SAFE_INTEGER, -1, -3, 0.5, Number.NaN])
      await expectUnknown(store, log, { epoch, seq })
    await store.remove(log)
    await expectUnknown(store, log, { epoch, seq: 0 })
    await appendAtEnd(store, await store.acquire(log), drafts)
    await expectUnknown(store, log, { epoch, seq: 1 })
  })
}

/** Trimming takes the oldest entries, and changes nothing else. */
export function trimTests(create: CreateLogStore): void {
  test('trimmed entries are gone, positions before them are unknown, and all others stay as they were', async () => {
    await using context = await create()
    const { store } = context
    const lease = await store.acquire(log)
    const { epoch } = lease.head
    const entries = await store.append(lease, 0, [...drafts, ...drafts])
    await store.trim(log, 4)
    await store.trim(log, 2)
    await store.trim(testLog('missing'), 2)
    for (const seq of [0, 3]) await expectUnknown(store, log, { epoch, seq })
    expect(await store.read(log, { epoch, seq: 4 }, 10)).toEqual(entries.slice(4))
    expect(await store.open(log)).toEqual({ epoch, seq: 6 })
    expect(seqsOf(await store.append(lease, 6, [endDraft]))).toEqual([7])
    await store.trim(log, 1_000)
    expect(await store.open(log)).toEqual({ epoch, seq: 7 })
    expect(await store.read(log, { epoch, seq: 7 }, 10)).toEqual([])
    await expectUnknown(store, log, { epoch, seq: 6 })
    expect(seqsOf(await store.append(lease, 7, drafts))).toEqual([8, 9, 10])
    expect(seqsOf(await store.read(log, { epoch, seq: 7 }, 10))).toEqual([8, 9, 10])
  })
}

async function expectUnknown(store: LogStore, name: LogName, position: Position): Promise<void> {
  const error = await store.read(name, position, 10).catch((caught: unknown) => caught)
  expect(error).toBeInstanceOf(LogError)
  expect(error).toMatchObject({ code: 'unknown-position', log: name })
}

function seqsOf(entries: readonly { readonly seq: number }[]): number[] {
  return entries.map(({ seq }) => seq)
}
