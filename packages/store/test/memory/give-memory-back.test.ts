import { until } from '@throughline/testing/waits/until'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { giveMemoryBack } from '../../src/memory/give-memory-back.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const megabyte = 1024 * 1024

test('garbage is collected while nothing happens, and only if there is much of it', () => {
  const seen = watch({ megabytes: 60 })
  seen.grow(3)
  expect(seen.collections()).toBe(0)
  seen.grow(2)
  expect(seen.collections()).toBe(1)
  expect(seen.collections()).toBe(1)
})

test('a large heap is left alone until it has grown by a sixteenth', () => {
  const seen = watch({ megabytes: 800 })
  seen.grow(49)
  expect(seen.collections()).toBe(0)
  seen.grow(2)
  expect(seen.collections()).toBe(1)
})

test('a server at work is left alone until it has nothing to do', () => {
  const seen = watch({ megabytes: 50 })
  seen.work(0.5)
  seen.grow(500)
  expect(seen.collections()).toBe(0)
  seen.work(0.01)
  expect(seen.collections()).toBe(1)
})

test('nothing is collected after the end', () => {
  const seen = watch({ megabytes: 50 })
  seen.grow(500)
  seen.end()
  expect(seen.collections()).toBe(0)
})

test('the collector of V8 takes what nobody refers to', async () => {
  vi.useRealTimers()
  const reference = new WeakRef({ of: 'this test' })
  // A WeakRef holds its object until the end of the turn in which it was made.
  await new Promise(resolve => setImmediate(resolve))
  let used = 0
  const end = giveMemoryBack({
    periodMs: 1,
    utilization: () => 0,
    heldBytes: () => {
      used += 100 * megabyte
      return used
    },
  })
  await until(() => reference.deref() === undefined)
  end()
})

test('what another thread holds or gives back changes nothing', async () => {
  vi.useRealTimers()
  let looks = 0
  let collections = 0
  const end = giveMemoryBack({
    periodMs: 1,
    minGrowthBytes: 16 * megabyte,
    utilization: () => {
      looks += 1
      return 0
    },
    collect: () => {
      collections += 1
    },
  })
  // Outside of the heap, as the heaps of other threads are.
  const elsewhere = new Uint8Array(128 * megabyte).fill(1)
  const before = looks
  await until(() => looks > before + 1, { everyMs: 5 })
  expect(elsewhere.length).toBe(128 * megabyte)
  expect(collections).toBe(0)
  end()
})

/** A server whose memory and work are made up. */
function watch({ megabytes }: { readonly megabytes: number }) {
  let used = megabytes * megabyte
  let utilization = 0
  let count = 0
  const end = giveMemoryBack({
    heldBytes: () => used,
    utilization: () => utilization,
    collect: () => {
      count += 1
    },
  })
  return {
    grow: (by: number) => {
      used += by * megabyte
    },
    work: (share: number) => {
      utilization = share
    },
    collections: () => {
      vi.advanceTimersByTime(5_000)
      return count
    },
    end,
  }
}
