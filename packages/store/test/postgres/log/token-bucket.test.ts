import { expect, test } from 'vitest'
import { TokenBucket } from '../../../src/postgres/log/ring-others.ts'

const rate = { perSecond: 10_000, size: 1_000 }

test('a busy process tells all of its entries, also those that have waited during a pause', () => {
  let time = 0
  const bucket = new TokenBucket({ ...rate, now: () => time })
  for (let count = 0; count < 500; count += 1) {
    time += 20
    expect(bucket.take(150)).toBe(true)
  }
  time += 100
  expect(bucket.take(750)).toBe(true)
})

test('a process that is overloaded tells 10,000 entries per second, and announces the others', () => {
  let time = 0
  const bucket = new TokenBucket({ ...rate, now: () => time })
  let told = 0
  for (; time < 10_000; time += 4) if (bucket.take(330)) told += 330
  expect(told).toBeGreaterThan(90_000)
  expect(told).toBeLessThanOrEqual(101_000)
})

test('very many appends at once are only announced', () => {
  expect(new TokenBucket(rate).take(1_001)).toBe(false)
})
