import fc from 'fast-check'
import { expect, test } from 'vitest'
import { seededRandom, seedFrom } from '../../src/demo/seeded-random.ts'

test('the same seed gives the same numbers, within their bounds', () => {
  fc.assert(
    fc.property(fc.integer(), fc.integer({ min: 1, max: 1000 }), (seed, limit) => {
      const [first, second] = [seededRandom(seed), seededRandom(seed)]
      for (let count = 0; count < 20; count += 1) {
        const number = first.below(limit)
        expect(number).toBe(second.below(limit))
        expect(number).toBeGreaterThanOrEqual(0)
        expect(number).toBeLessThan(limit)
      }
    }),
  )
})

test('numbers spread evenly over the range', () => {
  const random = seededRandom(7)
  const counts = new Map<number, number>()
  for (let count = 0; count < 10_000; count += 1) {
    const number = random.below(10)
    counts.set(number, (counts.get(number) ?? 0) + 1)
  }
  expect(counts.size).toBe(10)
  for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(150)
})

test('a seed depends on the seed before it and on every character', () => {
  const seeds = [seedFrom(1, 'ab'), seedFrom(2, 'ab'), seedFrom(1, 'ba'), seedFrom(1, 'abc')]
  expect(new Set(seeds).size).toBe(4)
})
