import { expect, test } from 'vitest'
import { Latencies } from '../../src/load/latencies.ts'

test('a percentile is the latency that this share of the values does not exceed', () => {
  const latencies = new Latencies()
  for (let ms = 1; ms <= 100; ms += 1) latencies.add(ms)
  expect(latencies.percentile(0.5)).toBeCloseTo(50.1)
  expect(latencies.percentile(0.99)).toBeCloseTo(99.1)
})

test('latencies of several processes are counted together', () => {
  const one = new Latencies()
  const other = new Latencies()
  one.add(5)
  other.add(2_000, 9)
  other.addPairs(one.pairs())
  expect(other.percentile(0.1)).toBeCloseTo(5.1)
  expect(other.percentile(0.99)).toBe(2_001)
})

test('there is no percentile of nothing', () => {
  expect(new Latencies().percentile(0.5)).toBeNaN()
})
