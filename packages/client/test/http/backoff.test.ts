import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { backoffMs, pause } from '../../src/http/backoff.ts'

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

describe('pause', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  test('ends when the time is over, and not before', async () => {
    const onEnd = vi.fn()
    const paused = pause(1_000, new AbortController().signal).then(onEnd)
    await vi.advanceTimersByTimeAsync(999)
    expect(onEnd).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    await paused
    expect(onEnd).toHaveBeenCalledOnce()
  })

  test('ends at once when the signal aborts, and leaves no timer', async () => {
    const leaving = new AbortController()
    const paused = pause(1_000, leaving.signal)
    expect(vi.getTimerCount()).toBe(1)
    leaving.abort()
    await paused
    expect(vi.getTimerCount()).toBe(0)
  })

  test('does not begin when the signal has aborted', async () => {
    await pause(1_000, AbortSignal.abort())
    expect(vi.getTimerCount()).toBe(0)
  })

  test('leaves no listener on the signal', async () => {
    const { signal } = new AbortController()
    const added = vi.spyOn(signal, 'addEventListener')
    const removed = vi.spyOn(signal, 'removeEventListener')
    const paused = pause(1, signal)
    await vi.advanceTimersByTimeAsync(1)
    await paused
    expect(removed.mock.calls.map(([, listener]) => listener)).toEqual(
      added.mock.calls.map(([, listener]) => listener),
    )
  })
})
