import { encodeQuery, weatherQuery } from '@throughline/testing/http/query-event-samples'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { queryAgent } from '../../src/events/query-agent.ts'
import { queryStream } from '../../src/events/query-stream.ts'
import { heldLine } from '../chat/held-line.ts'
import type { ScriptedAnswer } from '../scripted-responses.ts'
import { turnUntil } from '../turn-until.ts'
import { recordingCallbacks, scriptedFetch } from './scripted-queries.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

const events = weatherQuery.map(event => `data: ${JSON.stringify(event)}\n\n`)

describe('an abort', () => {
  test.each<[string, readonly ScriptedAnswer[], number]>([
    ['while nobody answers', [], 0],
    ['while the stream is silent', [{ pieces: [], staysOpen: true }], 0],
    ['in mid-answer', [{ pieces: events.slice(0, 4), staysOpen: true }], 4],
  ])('rejects with an AbortError and leaves no timer: %s', async (_, answers, count) => {
    const leaving = new AbortController()
    const { fetch } = scriptedFetch(answers)
    const { calls, callbacks } = recordingCallbacks()
    const answered = queryAgent('Hi', null, callbacks, { fetch, signal: leaving.signal })
    await turnUntil(() => calls.length === count)
    leaving.abort()

    await expect(answered).rejects.toMatchObject({ name: 'AbortError' })
    expect(calls).toHaveLength(count)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('before it is asked asks nobody', async () => {
    const { fetch, requests } = scriptedFetch([])
    const answered = queryAgent('Hi', null, {}, { fetch, signal: AbortSignal.abort() })
    await expect(answered).rejects.toMatchObject({ name: 'AbortError' })
    expect(requests).toEqual([])
    expect(vi.getTimerCount()).toBe(0)
  })

  test('in a callback is the last one, whatever has come already', async () => {
    const leaving = new AbortController()
    const { fetch } = scriptedFetch([{ pieces: [encodeQuery(weatherQuery)] }])
    const { calls, callbacks } = recordingCallbacks()
    const onToolCall = () => leaving.abort()
    const answered = queryAgent('Hi', null, { ...callbacks, onToolCall }, { fetch, signal: leaving.signal })

    await expect(answered).rejects.toMatchObject({ name: 'AbortError' })
    expect(calls.map(([name]) => name)).toEqual(['onTextDelta', 'onTextDelta', 'onTextDelta', 'onStepStart'])
  })

  test('is the last thing that is heard of, whatever is under way at that moment', async () => {
    for (let turns = 0; turns < 60; turns += 1) {
      const leaving = new AbortController()
      const { fetch } = scriptedFetch([{ pieces: events.slice(0, 8), staysOpen: true }])
      const { calls, callbacks } = recordingCallbacks()
      const answered = queryAgent('Hi', null, callbacks, { fetch, signal: leaving.signal })
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve()
      leaving.abort()
      const { length } = calls
      await expect(answered).rejects.toMatchObject({ name: 'AbortError' })
      expect(calls).toHaveLength(length)
    }
  })

  test('tells its own reason when it has one', async () => {
    const reason = new Error('The person went home.')
    const answered = queryAgent('Hi', null, {}, { ...scriptedFetch([]), signal: AbortSignal.abort(reason) })
    await expect(answered).rejects.toBe(reason)
  })
})

test('a reader that leaves early closes the connection and leaves no timer', async () => {
  const line = heldLine()
  void line.write(events[0] ?? '')
  for await (const _ of queryStream({ message: 'Hi' }, line)) break

  expect(line.isCancelled()).toBe(true)
  expect(vi.getTimerCount()).toBe(0)
})

describe('a server that is silent', () => {
  test('for 60 s in mid-answer has cut it off, and every byte is heard', async () => {
    const line = heldLine()
    const { calls, callbacks } = recordingCallbacks()
    const answered = queryAgent('Hi', null, callbacks, line)
    const failed = expect(answered).rejects.toMatchObject({ name: 'ChatError', code: 'broken-stream' })
    await line.write(events[1] ?? '')
    for (const piece of [': he', 'art', 'beat', '\n', '\n', 'd']) {
      await vi.advanceTimersByTimeAsync(59_000)
      await line.write(piece)
    }
    expect(line.isOpen()).toBe(true)
    await vi.advanceTimersByTimeAsync(59_999)
    expect(line.isOpen()).toBe(true)
    await vi.advanceTimersByTimeAsync(1)

    await failed
    expect(line.isOpen()).toBe(false)
    expect(calls).toHaveLength(1)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('from the beginning is given as long', async () => {
    const answered = queryAgent('Hi', null, {}, { ...scriptedFetch([]), idleMs: 1_000, maxRetries: 0 })
    const failed = expect(answered).rejects.toMatchObject({ code: 'network' })
    expect(vi.getTimerCount()).toBe(1)
    await vi.advanceTimersByTimeAsync(1_000)
    await failed
  })

  test('after the final event has answered', async () => {
    const line = heldLine()
    const answered = queryAgent('Hi', null, {}, line)
    await line.write(events[8] ?? '')
    await vi.advanceTimersByTimeAsync(60_000)
    expect(await answered).toContain('今天天气很好')
  })
})
