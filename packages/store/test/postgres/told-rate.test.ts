import { ToldRate } from '@throughline/store/postgres/told-rate'
import { expect, test } from 'vitest'

test('a busy process tells all of its entries, also those that have waited during a pause', () => {
  let time = 0
  const rate = new ToldRate(() => time)
  for (let count = 0; count < 500; count += 1) {
    time += 20
    expect(rate.take(150)).toBe(true)
  }
  time += 100
  expect(rate.take(750)).toBe(true)
})

test('a process that is overloaded tells 10,000 entries per second, and announces the others', () => {
  let time = 0
  const rate = new ToldRate(() => time)
  let told = 0
  for (; time < 10_000; time += 4) if (rate.take(330)) told += 330
  expect(told).toBeGreaterThan(90_000)
  expect(told).toBeLessThanOrEqual(101_000)
})

test('very many appends at once are only announced', () => {
  expect(new ToldRate().take(1_001)).toBe(false)
})
