import { follow, type Lease, LogError, type LogName, type LogStore } from '@throughline/log'
import { type Entry, isEndChunk } from '@throughline/protocol'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type BellFaults, withUnreliableBells } from '../faults/unreliable-bells.ts'
import { inTime } from '../waits/in-time.ts'
import { waitLimitMs } from '../waits/wait-limit.ts'
import { appendAtEnd } from './append-at-end.ts'
import type { CreateLogStore } from './create-log-store.ts'
import { endDraft, testLog, textDraft } from './log-drafts.ts'

/**
 * A follower gets every entry once: first from the log, then live. This holds for any timing and for unreliable
 * bells.
 */
export function followTests(create: CreateLogStore): void {
  test('a follower sees every entry once and in order, whenever appends happen and whatever bells do', async () => {
    await using context = await create()
    const { store } = context
    let count = 0
    await fc.assert(
      fc.asyncProperty(play, async ({ faults, writers, followers }) => {
        count += 1
        const log = testLog(`chat-${count}`)
        const stage = { store: withUnreliableBells(store, faults), log, lease: await store.acquire(log) }
        const seen = followers.map(follower => runFollower(stage, follower))
        await Promise.all(writers.map(writer => runWriter(stage, writer)))
        await appendAtEnd(store, await store.acquire(log), [endDraft])
        const whole = await store.read(log, { epoch: stage.lease.head.epoch, seq: 0 }, 10_000)
        expect(whole.map(({ seq }) => seq)).toEqual(whole.map((_, index) => index + 1))
        for (const { after, entries } of await Promise.all(seen)) expect(entries).toEqual(whole.slice(after))
      }),
      { numRuns: 60, interruptAfterTimeLimit: waitLimitMs(), markInterruptAsFailure: true },
    )
  })

  test('a follower from every position sees what comes after it', async () => {
    await using context = await create()
    const { store } = context
    const log = testLog('chat')
    const lease = await store.acquire(log)
    const stage = { store, log, lease }
    await appendAtEnd(
      store,
      lease,
      ['a', 'b', 'c', 'd', 'e', 'f'].map(text => textDraft(text)),
    )
    const seen = [0, 1, 2, 3, 4, 5, 6].map(seq => collect(stage, { seq, pageSize: 2 }))
    const live = await appendAtEnd(store, lease, [textDraft('g'), endDraft])
    const whole = await store.read(log, lease.head, 100)
    expect(live).toEqual(whole.slice(6))
    for (const [seq, entries] of (await Promise.all(seen)).entries())
      expect(entries).toEqual(whole.slice(seq))
  })

  test('a follower whose rings are all lost gets everything, because the store rings again by itself', async () => {
    await using context = await create()
    const silent = withUnreliableBells(context.store, { fates: ['lost'], isEarly: false })
    const log = testLog('chat')
    const lease = await silent.acquire(log)
    const seen = collect({ store: silent, log, lease }, { seq: 0, pageSize: 3 })
    for (const text of ['a', 'b', 'c', 'd']) await appendAtEnd(silent, lease, [textDraft(text)])
    await appendAtEnd(silent, lease, [endDraft])
    expect((await seen).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5])
  })

  test('a follower of a log that is removed is told so, also when the log is made again at once', async () => {
    await using context = await create()
    const { store } = context
    for (const log of [testLog('removed'), testLog('made-again')]) {
      const lease = await store.acquire(log)
      await appendAtEnd(store, lease, [textDraft('a')])
      const entries: Entry[] = []
      const signal = new AbortController().signal
      const ended = (async () => {
        for await (const page of follow(store, log, { after: lease.head, signal })) {
          entries.push(...page)
          await store.remove(log)
          if (log.endsWith('again')) await rewrite(store, log)
        }
      })().catch((error: unknown) => error)
      const error = await inTime('the follower has ended', ended, { seen: () => entries })
      expect(error).toBeInstanceOf(LogError)
      expect(error).toMatchObject({ code: 'unknown-position' })
      expect(entries).toHaveLength(1)
    }
  })
}

interface Stage {
  readonly store: LogStore
  readonly log: LogName
  readonly lease: Lease
}

interface Writer {
  /** Whether this writer takes the lease before it writes. The writer before it is then refused and stops. */
  readonly isTakingOver: boolean
  readonly appends: readonly { readonly size: number; readonly turns: number; readonly isAwaited: boolean }[]
}

interface Follower {
  readonly turns: number
  /** Where it starts: a fraction of the log's length at that moment, from 0 to 1. */
  readonly start: number
  readonly pageSize: number
}

const faults: fc.Arbitrary<BellFaults> = fc.record({
  fates: fc.array(fc.constantFrom('lost', 'once', 'twice', 'late'), { minLength: 1, maxLength: 8 }),
  isEarly: fc.boolean(),
})
const turns = fc.nat({ max: 4 })
const play: fc.Arbitrary<{ faults: BellFaults; writers: Writer[]; followers: Follower[] }> = fc.record({
  faults,
  writers: fc.array(
    fc.record({
      isTakingOver: fc.boolean(),
      appends: fc.array(fc.record({ size: fc.integer({ min: 1, max: 6 }), turns, isAwaited: fc.boolean() }), {
        maxLength: 6,
      }),
    }),
    { minLength: 1, maxLength: 3 },
  ),
  followers: fc.array(
    fc.record({
      turns,
      start: fc.double({ min: 0, max: 1, noNaN: true }),
      pageSize: fc.integer({ min: 1, max: 7 }),
    }),
    { minLength: 1, maxLength: 4 },
  ),
})

async function runWriter({ store, log, lease }: Stage, { isTakingOver, appends }: Writer): Promise<void> {
  const own = isTakingOver ? await store.acquire(log) : lease
  const underWay: Promise<unknown>[] = []
  for (const { size, turns, isAwaited } of appends) {
    await pass(turns)
    const drafts = Array.from({ length: size }, (_, index) => textDraft(`${own.fence} ${index}`))
    const append = appendAtEnd(store, own, drafts).catch(unlessRefused)
    underWay.push(append)
    if (isAwaited) await append
  }
  await Promise.all(underWay)
}

async function runFollower(
  stage: Stage,
  { turns, start, pageSize }: Follower,
): Promise<{ after: number; entries: readonly Entry[] }> {
  await pass(turns)
  const after = Math.floor(start * (await lengthBeforeEnd(stage)))
  return { after, entries: await collect(stage, { seq: after, pageSize }) }
}

/** Returns the length of the log, without its end chunk: a follower that starts after the end would wait forever. */
async function lengthBeforeEnd({ store, log }: Stage): Promise<number> {
  const { epoch, seq } = await store.open(log)
  if (seq === 0) return 0
  const [last] = await store.read(log, { epoch, seq: seq - 1 }, 1)
  return last !== undefined && isEndChunk(last.chunk) ? seq - 1 : seq
}

/** Follows the log until the end chunk. Then aborts, and waits until the follower has ended. */
async function collect(
  { store, log, lease }: Stage,
  { seq, pageSize }: { seq: number; pageSize: number },
): Promise<readonly Entry[]> {
  const done = new AbortController()
  const after = { epoch: lease.head.epoch, seq }
  const entries: Entry[] = []
  const run = async () => {
    for await (const page of follow(store, log, { after, signal: done.signal, pageSize })) {
      expect(page.length).toBeLessThanOrEqual(pageSize)
      entries.push(...page)
      if (page.some(({ chunk }) => isEndChunk(chunk))) done.abort()
    }
    return entries
  }
  // A part of the time, so that a property can shrink what does not end.
  const limitMs = waitLimitMs() / 5
  return inTime(`the follower after ${seq} has the end of the log`, run(), { seen: () => entries, limitMs })
}

async function rewrite(store: LogStore, log: LogName): Promise<void> {
  await appendAtEnd(store, await store.acquire(log), [textDraft('x'), textDraft('y')])
}

async function pass(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await new Promise(resolve => setImmediate(resolve))
}

/** Another writer may have taken over, or may have written in between. */
function unlessRefused(error: unknown): void {
  if (!(error instanceof LogError && (error.code === 'fenced' || error.code === 'wrong-end'))) throw error
}
