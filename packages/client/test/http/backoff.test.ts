import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { backoffMs } from '../../src/http/backoff.ts'

describe('backoffMs', () => {
  test('doubles from the first wait up to the longest', () => {
    const waits = [0, 1, 2, 3, 4, 5, 6, 7].map(attempt => backoffMs(attempt, { random: () => 1 }))
    expect(waits).toEqual([300, 600, 1_200, 2_400, 4_800, 9_600, 15_000, 15_000])
  })

  test('is at least half of that, so that nobody hurries, and spread over the rest', () => {
    const waits = [0, 0.5, 1].map(share => backoffMs(3, { firstMs: 100, maxMs: 10_000, random: () => share }))
    expect(waits).toEqual([400, 600, 800])
  })

  test('is within its bounds, however many attempts there were', () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true })
    fc.assert(
      fc.property(fc.nat(5_000), fc.integer({ min: 1, max: 60_000 }), share, (attempt, maxMs, random) => {
        const ms = backoffMs(attempt, { firstMs: 1, maxMs, random: () => random })
        expect(ms).toBeGreaterThanOrEqual(0)
        expect(ms).toBeLessThanOrEqual(maxMs)
      }),
    )
  })
})
