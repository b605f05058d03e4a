import { getEventListeners } from 'node:events'
import type { Entry } from '@throughline/protocol'
import { countReachable } from '@throughline/testing/faults/collect-garbage'
import { settle } from '@throughline/testing/faults/held-writes'
import { appendAtEnd } from '@throughline/testing/log/append-at-end'
import { testLog, textDraft } from '@throughline/testing/log/log-drafts'
import { promiseState, unsettled } from '@throughline/testing/waits/promise-state'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { follow } from '../src/follow.ts'
import type { LogStore } from '../src/log-store.ts'
import { createMemoryLogStore } from '../src/memory-log-store.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const log = testLog('chat')

/** A log with entries 1 to `count`, whose listeners can be counted. */
async function logOf(count: number) {
  const store = createMemoryLogStore()
  const lease = await store.acquire(log)
  const append = (texts: readonly string[]) =>
    appendAtEnd(
      store,
      lease,
      texts.map(text => textDraft(text)),
    )
  await append(Array.from({ length: count }, (_, index) => `${index + 1}`))
  const stop = new AbortController()
  let listeners = 0
  const counted: LogStore = {
    ...store,
    onAppend(name, ring) {
      const unlisten = store.onAppend(name, ring)
      listeners += 1
      return () => {
        listeners -= 1
        unlisten()
      }
    },
  }
  return {
    store: counted,
    append,
    stop,
    options: { after: lease.head, signal: stop.signal },
    listeners: () => listeners,
  }
}

test('pages come one after the other without waiting for a ring, each at most as long as asked', async () => {
  const { store, options, append } = await logOf(7)
  const pages = follow(store, log, { ...options, pageSize: 3 })
  expect(seqsOf(await pages.next())).toEqual([1, 2, 3])
  expect(seqsOf(await pages.next())).toEqual([4, 5, 6])
  expect(seqsOf(await pages.next())).toEqual([7])
  const next = pages.next()
  expect(await promiseState(next)).toEqual(unsettled)
  await append(['8'])
  expect(seqsOf(await next)).toEqual([8])
})

test('a log that ends with a full page is waited for like any other', async () => {
  const { store, options, append } = await logOf(4)
  const pages = follow(store, log, { ...options, pageSize: 2 })
  await pages.next()
  await pages.next()
  const next = pages.next()
  expect(await promiseState(next)).toEqual(unsettled)
  await append(['5'])
  expect(seqsOf(await next)).toEqual([5])
})

test('a page that is shorter than asked is followed by the next one, without a ring', async () => {
  const { store, options } = await logOf(5)
  const large: LogStore = { ...store, read: (name, after) => store.read(name, after, 2) }
  const pages = follow(large, log, options)
  expect(seqsOf(await pages.next())).toEqual([1, 2])
  expect(seqsOf(await pages.next())).toEqual([3, 4])
  expect(seqsOf(await pages.next())).toEqual([5])
  expect(await promiseState(pages.next())).toEqual(unsettled)
})

test('an entry that is appended during a read is not missed, though its ring comes before the wait', async () => {
  const { store, options, append } = await logOf(0)
  let reads = 0
  const racing: LogStore = {
    ...store,
    async read(...parameters) {
      const page = await store.read(...parameters)
      reads += 1
      if (reads === 1) await append(['late'])
      return page
    },
  }
  expect(seqsOf(await follow(racing, log, options).next())).toEqual([1])
  expect(reads).toBe(2)
})

test('an entry that is appended while a page is being handled comes next, without another ring', async () => {
  const { store, options, append } = await logOf(1)
  const pages = follow(store, log, options)
  await pages.next()
  await append(['2'])
  await append(['3'])
  expect(seqsOf(await pages.next())).toEqual([2, 3])
})

test('a follower reads only when it is rung, however long it waits', async () => {
  const { store, options, append } = await logOf(1)
  let reads = 0
  const counted: LogStore = {
    ...store,
    read(...parameters) {
      reads += 1
      return store.read(...parameters)
    },
  }
  const pages = follow(counted, log, options)
  await pages.next()
  const next = pages.next()
  expect(await promiseState(next)).toEqual(unsettled)
  // The second read says that there is no more.
  expect(reads).toBe(2)
  vi.advanceTimersByTime(3_600_000)
  expect(await promiseState(next)).toEqual(unsettled)
  expect(reads).toBe(2)
  await append(['2'])
  expect(seqsOf(await next)).toEqual([2])
  expect(reads).toBe(3)
})

test('a follower ends after the last entry that is wanted, and says so', async () => {
  const { store, options, append, stop, listeners } = await logOf(3)
  const isLast = ({ seq }: Entry) => seq === 5
  const pages = follow(store, log, { ...options, isLast })
  expect(seqsOf(await pages.next())).toEqual([1, 2, 3])
  await append(['4', '5', '6'])
  expect(seqsOf(await pages.next())).toEqual([4, 5])
  expect(await pages.next()).toEqual({ done: true, value: true })
  expectNothingLeft(stop, listeners())
})

test('a follower that waits holds no entry of the page before', async () => {
  const { store, options, append } = await logOf(3)
  const read: WeakRef<object>[] = []
  const copying: LogStore = {
    ...store,
    async read(...parameters) {
      const page = structuredClone(await store.read(...parameters))
      read.push(new WeakRef(page), ...page.map(entry => new WeakRef(entry)))
      return page
    },
  }
  const pages = follow(copying, log, options)
  expect(await takePage(pages)).toBe(3)
  for (const round of [1, 2, 3]) {
    const next = takePage(pages)
    expect(await promiseState(next)).toEqual(unsettled)
    expect(await countReachable(read), `round ${round}`).toBe(0)
    await append(['more'])
    expect(await next).toBe(1)
  }
  expect(read.length).toBeGreaterThanOrEqual(10)
})

test('rings without an entry give no page', async () => {
  const { store, options, append } = await logOf(0)
  const rings: (() => void)[] = []
  const early: LogStore = {
    ...store,
    onAppend(name, ring) {
      rings.push(ring)
      return store.onAppend(name, ring)
    },
  }
  const next = follow(early, log, options).next()
  for (const round of [1, 2, 3]) {
    expect(await promiseState(next), `round ${round}`).toEqual(unsettled)
    for (const ring of rings) ring()
  }
  await append(['1'])
  expect(seqsOf(await next)).toEqual([1])
})

test('abort ends a follower that waits, and leaves no listener behind', async () => {
  const { store, options, stop, listeners } = await logOf(1)
  const pages = follow(store, log, options)
  await pages.next()
  const next = pages.next()
  expect(await promiseState(next)).toEqual(unsettled)
  expect(listeners()).toBe(1)
  stop.abort()
  expect(await next).toEqual({ done: true, value: false })
  expectNothingLeft(stop, listeners())
})

test('a follower that was aborted before it began reads nothing', async () => {
  const { store, options, stop, listeners } = await logOf(1)
  stop.abort()
  const blind: LogStore = { ...store, read: () => Promise.reject(new Error('read after abort')) }
  expect(await follow(blind, log, options).next()).toEqual({ done: true, value: false })
  expectNothingLeft(stop, listeners())
})

test('a page that arrives after the abort is not shown', async () => {
  const { store, options, stop, listeners } = await logOf(3)
  const aborting: LogStore = {
    ...store,
    async read(...parameters) {
      const page = await store.read(...parameters)
      stop.abort()
      return page
    },
  }
  expect(await follow(aborting, log, options).next()).toEqual({ done: true, value: false })
  expectNothingLeft(stop, listeners())
})

test('closing ends a follower after the last entry that is there, however many pages that takes', async () => {
  const { store, options, append, listeners, stop } = await logOf(4)
  const closing = new AbortController()
  const pages = follow(store, log, { ...options, closing: closing.signal, pageSize: 2 })
  expect(seqsOf(await pages.next())).toEqual([1, 2])
  await append(['5'])
  closing.abort()
  expect(seqsOf(await pages.next())).toEqual([3, 4])
  expect(seqsOf(await pages.next())).toEqual([5])
  expect(await pages.next()).toEqual({ done: true, value: false })
  expectNothingLeft(stop, listeners())
  expect(getEventListeners(closing.signal, 'abort')).toHaveLength(0)
})

test('closing ends a follower that waits', async () => {
  const { store, options } = await logOf(1)
  const closing = new AbortController()
  const pages = follow(store, log, { ...options, closing: closing.signal })
  await pages.next()
  const next = pages.next()
  expect(await promiseState(next)).toEqual(unsettled)
  closing.abort()
  expect(await next).toEqual({ done: true, value: false })
})

test('what is appended during the last read before the closing is not missed', async () => {
  const { store, options, append } = await logOf(0)
  const closing = new AbortController()
  const racing: LogStore = {
    ...store,
    async read(...parameters) {
      const page = await store.read(...parameters)
      if (!closing.signal.aborted) {
        await append(['late'])
        closing.abort()
      }
      return page
    },
  }
  const pages = follow(racing, log, { ...options, closing: closing.signal })
  expect(seqsOf(await pages.next())).toEqual([1])
  expect(await pages.next()).toEqual({ done: true, value: false })
})

test('who leaves the loop leaves no listener behind', async () => {
  const { store, options, stop, listeners } = await logOf(1)
  for await (const page of follow(store, log, options)) {
    expect(page).toHaveLength(1)
    break
  }
  expectNothingLeft(stop, listeners())
})

test('a read that fails reaches the follower, and leaves no listener behind', async () => {
  const { store, options, stop, listeners } = await logOf(1)
  const pages = follow(store, log, options)
  await pages.next()
  const next = pages.next()
  expect(await promiseState(next)).toEqual(unsettled)
  await store.remove(log)
  await expect(next).rejects.toMatchObject({ code: 'unknown-position' })
  expectNothingLeft(stop, listeners())
})

test('a follower that lives long keeps one abort listener and no timer', async () => {
  const { store, options, stop, append, listeners } = await logOf(0)
  const pages = follow(store, log, options)
  for (let round = 0; round < 50; round += 1) {
    const next = pages.next()
    await settle()
    expect(vi.getTimerCount()).toBe(0)
    expect(getEventListeners(stop.signal, 'abort')).toHaveLength(1)
    await append(['x'])
    expect(seqsOf(await next)).toEqual([round + 1])
  }
  await pages.return(false)
  expectNothingLeft(stop, listeners())
})

function expectNothingLeft(stop: AbortController, listeners: number): void {
  expect(listeners).toBe(0)
  expect(vi.getTimerCount()).toBe(0)
  expect(getEventListeners(stop.signal, 'abort')).toHaveLength(0)
}

function seqsOf({ done, value }: IteratorResult<readonly Entry[], boolean>): number[] {
  return done ? [] : value.map(({ seq }) => seq)
}

/** Takes the next page. Returns only its length, so that the test does not hold the page. */
async function takePage(pages: ReturnType<typeof follow>): Promise<number> {
  return seqsOf(await pages.next()).length
}
