import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { pause } from '../../src/async/waits.ts'

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

test('without ref, it does not keep a process of Node alive', () => {
  vi.useRealTimers()
  const stop = new AbortController()
  const timers = () => process.getActiveResourcesInfo().filter(name => name === 'Timeout').length
  const before = timers()
  void pause(1e6, stop.signal, { ref: false })
  expect(timers()).toBe(before)
  void pause(1e6, stop.signal)
  expect(timers()).toBe(before + 1)
  stop.abort()
})
