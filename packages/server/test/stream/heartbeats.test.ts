import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Heartbeats } from '../../src/stream/bytes/send-stream.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** Heartbeats every 1,000 ms. Each stream notes its beats under its name. */
function listened() {
  const heartbeats = new Heartbeats({ heartbeatMs: 1_000 })
  const beats: string[] = []
  const stream = (name: string) => () => void beats.push(name)
  return { heartbeats, beats, stream }
}

test('a stream that is idle gets a heartbeat again and again', () => {
  const { heartbeats, beats, stream } = listened()
  heartbeats.wrote(stream('a'))
  vi.advanceTimersByTime(999)
  expect(beats).toEqual([])
  vi.advanceTimersByTime(1)
  expect(beats).toEqual(['a'])
  vi.advanceTimersByTime(2_000)
  expect(beats).toEqual(['a', 'a', 'a'])
})

test('a write puts the heartbeat of its own stream off, and of no other', () => {
  const { heartbeats, beats, stream } = listened()
  const [busy, idle] = [stream('busy'), stream('idle')]
  heartbeats.wrote(busy)
  heartbeats.wrote(idle)
  vi.advanceTimersByTime(600)
  heartbeats.wrote(busy)
  vi.advanceTimersByTime(400)
  expect(beats).toEqual(['idle'])
  vi.advanceTimersByTime(600)
  expect(beats).toEqual(['idle', 'busy'])
})

test('all streams share one timer, and the last one to go takes it with it', () => {
  const { heartbeats, beats, stream } = listened()
  const streams = Array.from({ length: 100 }, (_, index) => stream(String(index)))
  for (const each of streams) {
    heartbeats.wrote(each)
    vi.advanceTimersByTime(1)
  }
  expect(vi.getTimerCount()).toBe(1)
  vi.advanceTimersByTime(1_000)
  expect(beats).toEqual(streams.map((_, index) => String(index)))
  expect(vi.getTimerCount()).toBe(1)
  for (const each of streams) heartbeats.remove(each)
  expect(vi.getTimerCount()).toBe(0)
  vi.advanceTimersByTime(10_000)
  expect(beats).toHaveLength(100)
})

test('streams that become due at almost the same time get their heartbeats in one tick', () => {
  const { heartbeats, beats, stream } = listened()
  for (const name of ['a', 'b', 'c']) {
    heartbeats.wrote(stream(name))
    vi.advanceTimersByTime(2)
  }
  vi.advanceTimersToNextTimer()
  expect(beats).toEqual(['a'])
  vi.advanceTimersToNextTimer()
  expect(beats).toEqual(['a', 'b', 'c'])
})

test('a stream that ends while another one is beaten gets none', () => {
  const { heartbeats, beats, stream } = listened()
  const last = stream('last')
  heartbeats.wrote(() => {
    beats.push('first')
    heartbeats.remove(last)
  })
  heartbeats.wrote(last)
  vi.advanceTimersByTime(1_000)
  expect(beats).toEqual(['first'])
})
