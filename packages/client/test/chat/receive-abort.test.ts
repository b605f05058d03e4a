import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { receive } from '../../src/chat/receive.ts'
import { type ScriptedAnswer, scriptedRequests } from '../scripted-responses.ts'
import { turnUntil } from '../turn-until.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

test.each<[string, { answers: readonly ScriptedAnswer[]; seen: readonly string[] }]>([
  ['while nobody answers', { answers: [], seen: [] }],
  ['while the stream is silent', { answers: [{ pieces: [], staysOpen: true }], seen: ['connected'] }],
  ['while it waits to try again', { answers: [new Response('', { status: 503 })], seen: ['disconnected'] }],
])('an abort ends it without an error and leaves no timer: %s', async (_, { answers, seen }) => {
  const leaving = new AbortController()
  const received = receiveOver(answers, leaving.signal)
  for (const type of seen) expect(await received.next()).toMatchObject({ done: false, value: { type } })
  const end = received.next()
  await turnUntil(() => vi.getTimerCount() > 0)
  leaving.abort()

  expect(await end).toEqual({ done: true, value: undefined })
  expect(vi.getTimerCount()).toBe(0)
})

test('an aborted signal asks nobody', async () => {
  const { request, urls } = scriptedRequests([])
  const received = receive({ ...place, signal: AbortSignal.abort(), request })

  expect(await received.next()).toEqual({ done: true, value: undefined })
  expect(urls).toEqual([])
})

test('a reader that leaves early leaves no timer', async () => {
  const { signal } = new AbortController()
  for await (const _ of receiveOver([{ pieces: [], staysOpen: true }], signal)) break

  expect(vi.getTimerCount()).toBe(0)
})

test('a connection is dead when nothing has come for 30 s, and a heartbeat is something', async () => {
  const { signal } = new AbortController()
  const line = heldLine()
  const received = receive({ ...place, signal, request: line.request })
  expect(await received.next()).toMatchObject({ value: { type: 'connected' } })
  const next = received.next()
  for (const _ of [1, 2, 3]) {
    await vi.advanceTimersByTimeAsync(29_000)
    await line.write(': heartbeat\n\n')
  }
  expect(line.isOpen()).toBe(true)
  await vi.advanceTimersByTimeAsync(30_000)

  expect(await next).toMatchObject({
    value: { type: 'disconnected', error: { code: 'network', message: 'The connection fell silent.' } },
  })
  await received.return()
})

test('a connection that brought but heartbeats was a good one: the next try comes as soon as the first', async () => {
  const { signal } = new AbortController()
  const { request, urls } = scriptedRequests(
    Array.from({ length: 8 }, () => ({ pieces: [': heartbeat\n\n'] })),
  )
  const received = receive({ ...place, signal, request, backoff: { firstMs: 100, random: () => 1 } })
  for (let count = 1; count <= 8; count += 1) {
    const connected = received.next()
    await vi.advanceTimersByTimeAsync(100)
    expect(urls).toHaveLength(count)
    expect(await connected).toMatchObject({ value: { type: 'connected' } })
    expect(await received.next()).toMatchObject({ value: { type: 'disconnected' } })
  }
})

const place = { url: '/log', after: { epoch: 'epoch', seq: 0 } }

function receiveOver(answers: readonly ScriptedAnswer[], signal: AbortSignal) {
  return receive({ ...place, signal, request: scriptedRequests(answers).request })
}

/** A connection on which the test writes when it wants to. */
function heldLine() {
  const { readable, writable } = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>()
  const writer = writable.getWriter()
  let isOpen = true
  return {
    isOpen: () => isOpen,
    write: (text: string) => writer.write(new TextEncoder().encode(text)),
    async request(_: string, { signal }: RequestInit): Promise<Response> {
      signal?.addEventListener('abort', () => {
        isOpen = false
        void writer.abort(signal.reason)
      })
      return new Response(readable)
    },
  }
}
