import type { Entry } from '@throughline/protocol'
import { endDraft, testLog } from '@throughline/testing/log/log-drafts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Lease } from '../src/log-store.ts'
import { createRecentEntries } from '../src/recent-entries.ts'

const log = testLog('chat')
const epoch = 'first'

function leaseOf(epochOfLease: string): Lease {
  return { log, fence: 1, head: { epoch: epochOfLease, seq: 0 } }
}

function entries(first: number, last: number): Entry[] {
  return Array.from({ length: last - first + 1 }, (_, index) => ({ ...endDraft, seq: first + index, at: 0 }))
}

test('what is added to a watched log is read from memory, the same objects for everybody', () => {
  const recent = createRecentEntries()
  recent.watch(log)
  const added = entries(5, 8)
  recent.add(leaseOf(epoch), added.slice(0, 2), 100)
  recent.add(leaseOf(epoch), added.slice(2), 100)
  const read = recent.read(log, { epoch, seq: 4 }, 10)
  expect(read).toEqual(added)
  expect(read?.every((entry, index) => entry === added[index])).toBe(true)
  expect(recent.read(log, { epoch, seq: 6 }, 1)).toEqual(entries(7, 7))
})

test('what lies before, after or outside of what is known is left to the store', () => {
  const recent = createRecentEntries()
  recent.watch(log)
  expect(recent.read(log, { epoch: '', seq: 0 }, 10)).toBeUndefined()
  recent.add(leaseOf(epoch), entries(5, 8), 100)
  for (const seq of [0, 3, 8, 9, -1, 4.5, Number.NaN])
    expect(recent.read(log, { epoch, seq }, 10), `position ${seq}`).toBeUndefined()
  expect(recent.read(log, { epoch: 'other', seq: 5 }, 10)).toBeUndefined()
  expect(recent.read(testLog('other'), { epoch, seq: 5 }, 10)).toBeUndefined()
})

test('a log that nobody watches is not kept, and one watcher is enough', () => {
  const recent = createRecentEntries()
  recent.add(leaseOf(epoch), entries(1, 2), 100)
  const unwatch = recent.watch(log)
  const unwatchOther = recent.watch(log)
  expect(recent.read(log, { epoch, seq: 0 }, 10)).toBeUndefined()
  recent.add(leaseOf(epoch), entries(3, 4), 100)
  unwatch()
  expect(recent.read(log, { epoch, seq: 2 }, 10)).toHaveLength(2)
  unwatchOther()
  expect(recent.read(log, { epoch, seq: 2 }, 10)).toBeUndefined()
})

test('who stops watching twice takes nothing from the others', () => {
  const recent = createRecentEntries()
  const unwatch = recent.watch(log)
  recent.watch(log)
  recent.add(leaseOf(epoch), entries(1, 2), 100)
  unwatch()
  unwatch()
  expect(recent.read(log, { epoch, seq: 0 }, 10)).toHaveLength(2)
})

test('who stops watching a second time, later, takes nothing from who came since', () => {
  const recent = createRecentEntries()
  const unwatch = recent.watch(log)
  unwatch()
  recent.watch(log)
  recent.add(leaseOf(epoch), entries(1, 2), 100)
  unwatch()
  expect(recent.read(log, { epoch, seq: 0 }, 10)).toHaveLength(2)
})

test('a forgotten log is known again from the next entry on', () => {
  const recent = createRecentEntries()
  recent.watch(log)
  recent.add(leaseOf(epoch), entries(1, 5), 100)
  recent.forget(log)
  recent.forget(testLog('other'))
  expect(recent.read(log, { epoch, seq: 0 }, 10)).toBeUndefined()
  recent.add(leaseOf('second'), entries(1, 1), 100)
  expect(recent.read(log, { epoch: 'second', seq: 0 }, 10)).toHaveLength(1)
  expect(recent.read(log, { epoch, seq: 0 }, 10)).toBeUndefined()
})

test('an empty append changes nothing', () => {
  const recent = createRecentEntries()
  recent.watch(log)
  recent.add(leaseOf(epoch), entries(1, 5), 100)
  recent.add(leaseOf(epoch), [], 100)
  expect(recent.read(log, { epoch, seq: 0 }, 10)).toHaveLength(5)
})

test('of one log, the newest entries are kept, up to a number of bytes', () => {
  const recent = createRecentEntries({ maxLogBytes: 10_000 })
  recent.watch(log)
  for (let seq = 1; seq <= 1_000; seq += 1) {
    recent.add(leaseOf(epoch), entries(seq, seq), 100)
    const oldest = Array.from({ length: seq }, (_, index) => index).find(
      after => recent.read(log, { epoch, seq: after }, 1) !== undefined,
    )
    const kept = seq - (oldest ?? seq)
    expect(kept).toBeLessThanOrEqual(20)
    expect(kept).toBeGreaterThanOrEqual(Math.min(seq, 9))
  }
})

test('an entry stays for half a second at least, and goes when its log grows a second later', () => {
  let time = 0
  const recent = createRecentEntries({ now: () => time })
  const isKept = (seq: number) => recent.read(log, { epoch, seq: seq - 1 }, 1) !== undefined
  recent.watch(log)
  for (let seq = 1; seq <= 100; seq += 1) {
    time = seq * 50
    recent.add(leaseOf(epoch), entries(seq, seq), 100)
    for (let other = 1; other <= seq; other += 1) {
      const ageMs = (seq - other) * 50
      if (ageMs <= 500) expect(isKept(other), `entry ${other}, ${ageMs} ms old`).toBe(true)
      if (ageMs > 1_100) expect(isKept(other), `entry ${other}, ${ageMs} ms old`).toBe(false)
    }
  }
  time += 60_000
  expect(isKept(100)).toBe(true)
})

test('a large entry stays until the next one comes, and what came before it goes', () => {
  const recent = createRecentEntries({ maxLogBytes: 10_000 })
  recent.watch(log)
  recent.add(leaseOf(epoch), entries(1, 3), 100)
  recent.add(leaseOf(epoch), entries(4, 4), 4_000_000)
  expect(recent.read(log, { epoch, seq: 2 }, 10)).toBeUndefined()
  expect(recent.read(log, { epoch, seq: 3 }, 10)).toEqual(entries(4, 4))
  recent.add(leaseOf(epoch), entries(5, 5), 100)
  expect(recent.read(log, { epoch, seq: 3 }, 10)).toBeUndefined()
  expect(recent.read(log, { epoch, seq: 4 }, 10)).toEqual(entries(5, 5))
})

test('of all logs together, those that have grown last are kept', () => {
  const recent = createRecentEntries({ maxBytes: 10_000 })
  const logs = Array.from({ length: 8 }, (_, index) => testLog(`chat-${index}`))
  for (const each of logs) recent.watch(each)
  for (const each of logs) recent.add({ ...leaseOf(epoch), log: each }, entries(1, 1), 3_000)
  const isKept = logs.map(each => recent.read(each, { epoch, seq: 0 }, 1) !== undefined)
  expect(isKept.lastIndexOf(false)).toBeLessThan(isKept.indexOf(true))
  expect(isKept.filter(Boolean).length).toBeLessThanOrEqual(3)
  expect(isKept.at(-1)).toBe(true)
})

test('whatever was added, an answer is exactly what the log has there', () => {
  const add = fc.record({
    epoch: fc.constantFrom('first', 'second'),
    count: fc.nat({ max: 4 }),
    isSeen: fc.boolean(),
    waitMs: fc.constantFrom(0, 300, 2_000),
  })
  const ask = fc.record({
    epoch: fc.constantFrom('first', 'second'),
    seq: fc.nat({ max: 30 }),
    limit: fc.nat(5),
  })
  fc.assert(
    fc.property(fc.array(add, { maxLength: 20 }), fc.array(ask, { maxLength: 20 }), (adds, asks) => {
      let time = 0
      const recent = createRecentEntries({ maxLogBytes: 2_000, now: () => time })
      recent.watch(log)
      const logs = new Map<string, number>()
      for (const { epoch, count, isSeen, waitMs } of adds) {
        time += waitMs
        const last = logs.get(epoch) ?? 0
        logs.set(epoch, last + count)
        // When another process appends, this cache has a gap.
        if (isSeen) recent.add(leaseOf(epoch), entries(last + 1, last + count), 100)
        for (const { epoch, seq, limit } of asks) {
          const answer = recent.read(log, { epoch, seq }, limit)
          if (answer === undefined) continue
          expect(answer).toEqual(entries(seq + 1, seq + answer.length))
          expect(answer.length).toBeLessThanOrEqual(limit)
          expect(seq).toBeLessThan(logs.get(epoch) ?? 0)
          if (limit > 0) expect(answer.length).toBeGreaterThan(0)
        }
      }
    }),
  )
})
