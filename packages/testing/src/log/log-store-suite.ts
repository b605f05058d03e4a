import { type Lease, LogError, type LogStore } from '@throughline/log'
import type { EntryDraft } from '@throughline/protocol'
import { describe, expect, test } from 'vitest'
import { appendAtEnd } from './append-at-end.ts'
import type { CreateLogStore } from './create-log-store.ts'
import { draftOf, endDraft, testLog, textDraft } from './log-drafts.ts'
import { bellTests } from './log-store-bells.ts'
import { contentTests } from './log-store-contents.ts'
import { followTests } from './log-store-following.ts'
import { positionTests, trimTests } from './log-store-positions.ts'

const log = testLog('chat')
const drafts = ['one', 'two', 'three'].map(text => textDraft(text))

/** Registers the tests that every log store must pass, whatever it stores its entries in. */
export function logStoreSuite(name: string, create: CreateLogStore): void {
  describe(`the log store on ${name}`, () => {
    orderTests(create)
    numberTests(create)
    fenceTests(create)
    positionTests(create)
    trimTests(create)
    contentTests(create)
    bellTests(create)
    followTests(create)
  })
}

function orderTests(create: CreateLogStore): void {
  test('seq starts at 1 and grows by 1, over appends and over leases', async () => {
    await using context = await create()
    const { store } = context
    const lease = await store.acquire(log)
    expect(lease.head.seq).toBe(0)
    expect(seqsOf(await appendAtEnd(store, lease, drafts))).toEqual([1, 2, 3])
    expect(seqsOf(await appendAtEnd(store, lease, [endDraft]))).toEqual([4])
    const next = await store.acquire(log)
    expect(next.head).toEqual({ epoch: lease.head.epoch, seq: 4 })
    expect(seqsOf(await appendAtEnd(store, next, [endDraft]))).toEqual([5])
    expect(await store.open(log)).toEqual({ epoch: lease.head.epoch, seq: 5 })
  })

  test('an entry of another log is numbered anew when it is appended as a draft', async () => {
    await using context = await create()
    const { store } = context
    const lease = await store.acquire(log)
    const copied = await appendAtEnd(store, await store.acquire(testLog('other')), [...drafts, ...drafts])
    await appendAtEnd(store, lease, copied.slice(4))
    expect(seqsOf(await store.read(log, lease.head, 10))).toEqual([1, 2])
  })

  test('an append of nothing leaves the log as it is', async () => {
    await using context = await create()
    const { store } = context
    const lease = await store.acquire(log)
    await appendAtEnd(store, lease, drafts)
    expect(await appendAtEnd(store, lease, [])).toEqual([])
    expect(await store.open(log)).toMatchObject({ seq: 3 })
    expect(seqsOf(await appendAtEnd(store, lease, [endDraft]))).toEqual([4])
  })

  test('an append with a draft that cannot be kept appends none of its drafts', async () => {
    await using context = await create()
    const { store } = context
    const lease = await store.acquire(log)
    const circular: unknown[] = []
    circular.push(circular)
    const unkept = [
      draftOf({ type: 'tool-output-available', toolCallId: 'call', output: circular }),
      draftOf({ type: 'tool-output-available', toolCallId: 'call', output: 1n }),
      // The type says string, but a model or a tool may send a value of another type.
      draftOf({ type: 'text-delta', id: 'text', delta: JSON.parse('null') }),
    ]
    for (const draft of unkept) {
      await expect(appendAtEnd(store, lease, [...drafts, draft, ...drafts])).rejects.toMatchObject({
        name: 'LogError',
        code: 'invalid-chunk',
      })
      expect(await store.read(log, lease.head, 10)).toEqual([])
    }
    expect(seqsOf(await appendAtEnd(store, lease, drafts))).toEqual([1, 2, 3])
  })

  test('appends that are under way at once are whole, in the order in which they were asked for', async () => {
    await using context = await create()
    const { store } = context
    const lease = await store.acquire(log)
    const groups = Array.from({ length: 40 }, (_, index) => textsOf(index, 1 + (index % 3)))
    let after = 0
    const written = await Promise.all(
      groups.map(group => {
        after += group.length
        return store.append(lease, after - group.length, group)
      }),
    )
    expect(seqsOf(written.flat())).toEqual(groups.flat().map((_, index) => index + 1))
    expect(await store.read(log, lease.head, 1000)).toEqual(written.flat())
  })

  test('concurrent appends to several logs do not mix', async () => {
    await using context = await create()
    const { store } = context
    const names = ['a', 'b', 'c'].flatMap(chat => [testLog(chat, 'ada'), testLog(chat, 'bob')])
    const leases = await Promise.all(names.map(name => store.acquire(name)))
    const rounds = Array.from({ length: 20 }, (_, round) => round)
    await Promise.all(
      rounds.flatMap(round =>
        leases.map(lease => store.append(lease, 2 * round, [textDraft(`${lease.log} ${round}`), endDraft])),
      ),
    )
    for (const lease of leases) {
      const entries = await store.read(lease.log, lease.head, 1000)
      const expected = rounds.flatMap(round => [textDraft(`${lease.log} ${round}`), endDraft])
      expect(entries).toMatchObject(expected.map((draft, index) => ({ seq: index + 1, ...draft })))
    }
  })
}

function numberTests(create: CreateLogStore): void {
  test('an append that names another last entry than the log has writes nothing, and says so', async () => {
    await using context = await create()
    const { store } = context
    const lease = await store.acquire(log)
    await store.append(lease, 0, drafts)
    for (const after of [0, 2, 4, -1, 3.5, Number.NaN]) {
      const error = await store.append(lease, after, drafts).catch((caught: unknown) => caught)
      expect(error).toBeInstanceOf(LogError)
      expect(error).toMatchObject({ code: 'wrong-end', log })
    }
    expect(await store.open(log)).toMatchObject({ seq: 3 })
    expect(seqsOf(await store.append(lease, 3, drafts))).toEqual([4, 5, 6])
  })

  test('a released log can be read and written as before', async () => {
    await using context = await create()
    const { store } = context
    const lease = await store.acquire(log)
    const entries = await store.append(lease, 0, drafts)
    store.release(lease)
    const more = await store.append(lease, 3, drafts)
    store.release(lease)
    store.release(lease)
    const next = await store.acquire(log)
    expect(next.head.seq).toBe(6)
    const last = await store.append(next, 6, [endDraft])
    expect(await store.read(log, lease.head, 10)).toEqual([...entries, ...more, ...last])
  })
}

function fenceTests(create: CreateLogStore): void {
  test('a lease that was taken over cannot append, not even nothing', async () => {
    await using context = await create()
    const { store } = context
    const old = await store.acquire(log)
    await appendAtEnd(store, old, drafts)
    const current = await store.acquire(log)
    await expectFenced(store, old)
    expect(seqsOf(await appendAtEnd(store, current, [endDraft]))).toEqual([4])
    await expectFenced(store, old)
    expect(await store.open(log)).toMatchObject({ seq: 4 })
  })

  test('of several who acquire at once, exactly the last one can append', async () => {
    await using context = await create()
    const { store } = context
    const leases = await Promise.all([1, 2, 3, 4].map(() => store.acquire(log)))
    const last = Math.max(...leases.map(({ fence }) => fence))
    expect(new Set(leases.map(({ fence }) => fence)).size).toBe(4)
    for (const lease of leases.filter(({ fence }) => fence !== last)) await expectFenced(store, lease)
    for (const lease of leases.filter(({ fence }) => fence === last)) await appendAtEnd(store, lease, drafts)
    expect(await store.open(log)).toMatchObject({ seq: 3 })
  })

  test('a lease ends with its log, also when a log of the same name is made again', async () => {
    await using context = await create()
    const { store } = context
    const old = await store.acquire(log)
    await appendAtEnd(store, old, drafts)
    await store.remove(log)
    await expectFenced(store, old)
    await store.open(log)
    await expectFenced(store, old)
    const current = await store.acquire(log)
    expect(current.fence).toBe(old.fence)
    await expectFenced(store, old)
    expect(seqsOf(await appendAtEnd(store, current, [endDraft]))).toEqual([1])
  })

  test('opening and reading a log leave its lease alone', async () => {
    await using context = await create()
    const { store } = context
    const lease = await store.acquire(log)
    await store.open(log)
    await store.read(log, lease.head, 10)
    expect(seqsOf(await appendAtEnd(store, lease, drafts))).toEqual([1, 2, 3])
  })
}

async function expectFenced(store: LogStore, lease: Lease): Promise<void> {
  for (const refused of [drafts, []]) {
    const error = await store.append(lease, lease.head.seq, refused).catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(LogError)
    expect(error).toMatchObject({ code: 'fenced', log: lease.log })
  }
}

function textsOf(group: number, count: number): EntryDraft[] {
  return Array.from({ length: count }, (_, index) => textDraft(`${group}.${index} `))
}

function seqsOf(entries: readonly { readonly seq: number }[]): number[] {
  return entries.map(({ seq }) => seq)
}
