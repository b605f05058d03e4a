import { encodeQuery, weatherQuery } from '@throughline/testing/http/query-event-samples'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { queryAgent } from '../../src/events/query-agent.ts'
import { QueryMeter } from '../../src/events/query-meter.ts'
import { heldLine } from '../chat/held-line.ts'
import type { ScriptedAnswer } from '../scripted-responses.ts'
import { turnUntil } from '../turn-until.ts'
import { bytesOf, recordingCallbacks, scriptedFetch } from './scripted-queries.ts'

const ids = { 'x-session-id': 'session-7', 'x-answer-id': 'answer-7' }
const backoff = { firstMs: 0 }
const bytes = bytesOf(weatherQuery)
const whole = await told([answered(bytes)])

afterEach(() => void vi.useRealTimers())

describe('an answer that is cut', () => {
  test('is got back wherever it is cut, however often, and nothing is told twice', async () => {
    for (let at = 0; at < bytes.length; at += 7) {
      const cuts = [at, Math.floor(at / 2), at + 1].map(end => answered(bytes.slice(0, end)))
      expect(await told([...cuts, answered(bytes)])).toEqual(whole)
    }
  })

  test('is asked for by the ids of the first request, and by its own as soon as it is known', async () => {
    const { fetch, requests } = scriptedFetch([
      new Response('', { status: 503 }),
      answered(bytes.slice(0, 200)),
      answered(bytes),
    ])
    const onSession = vi.fn()
    await queryAgent('天气？', null, {}, { fetch, backoff, onSession, agent: 'researcher' })
    const [first, second, third] = requests.map(({ body }) => body)
    expect(second).toEqual(first)
    expect(third).toEqual({
      ...Object(first),
      session_id: 'session-7',
      answer_id: 'answer-7',
    })
    expect(onSession.mock.calls).toEqual([['session-7']])
  })

  test('is asked for by its question while it waits for its turn, when it has no id yet', async () => {
    const headers = { 'content-type': 'text/event-stream', 'x-session-id': 'session-7' }
    const waiting = new Response(': heartbeat\n\n', { headers })
    const { fetch, requests } = scriptedFetch([waiting, answered(bytes.slice(0, 200)), answered(bytes)])
    await queryAgent('Hi', null, {}, { fetch, backoff })
    const [first, second, third] = requests.map(({ body }) => body)
    expect(second).toEqual({ ...Object(first), session_id: 'session-7' })
    expect(third).toEqual({ ...Object(second), answer_id: 'answer-7' })
  })

  test('is counted once, and every line of every connection can be looked at', async () => {
    const meter = new QueryMeter()
    const lines: string[] = []
    const half = bytesOf(weatherQuery.slice(0, 5)).slice(0, -': done\n\n'.length)
    await queryAgent(
      'Hi',
      null,
      {},
      {
        ...scriptedFetch([answered(half), answered(bytes)]),
        backoff,
        meter,
        onRaw: line => lines.push(line),
      },
    )
    expect(meter.read().total).toBe(weatherQuery.length)
    expect(lines.filter(line => line.startsWith('data:'))).toHaveLength(5 + weatherQuery.length)
  })

  test('has its bad events reported once', async () => {
    const start = 'data: oops\n\ndata: {"type":"hologram"}\n\n'
    const { calls } = await told([answered(start), answered(start + encodeQuery(weatherQuery))])
    expect(calls).toEqual([['onBadEvent', 'the data is not JSON', 'oops'], ...whole.calls])
  })

  test('after its final event is got back for what it used, and is whole when that cannot be had', async () => {
    const upToFinal = encodeQuery(weatherQuery.slice(0, 9)).replace(': done\n\n', '')
    expect(await told([answered(upToFinal), answered(bytes)])).toEqual(whole)
    const { text, calls } = await told([answered(upToFinal), new Response('', { status: 404 })])
    expect(text).toBe(whole.text)
    expect(calls).toEqual(whole.calls.slice(0, -1))
  })
})

describe('it is given up', () => {
  test('when so many connections in a row have brought nothing new, with the name of the failure', async () => {
    const half = answered.bind(undefined, bytes.slice(0, 200))
    const { fetch, requests } = scriptedFetch([half(), half(), half(), half(), half()])
    const asked = queryAgent('Hi', null, {}, { fetch, backoff, maxRetries: 3 })
    await expect(asked).rejects.toMatchObject({ name: 'ChatError', code: 'broken-stream' })
    expect(requests).toHaveLength(4)
  })

  test('only then: a connection that brings something new begins the count anew', async () => {
    const answers = Array.from({ length: 9 }, (_, index) => answered(upTo(index)))
    expect(await told([...answers, answered(bytes)], 1)).toEqual(whole)
  })

  test('when nobody has ever answered, with another name', async () => {
    let requests = 0
    const fetch = async () => {
      requests += 1
      throw new TypeError('fetch failed')
    }
    const asked = queryAgent('Hi', null, {}, { fetch, backoff })
    await expect(asked).rejects.toMatchObject({ code: 'network' })
    expect(requests).toBe(7)
  })

  test.each<[string, ScriptedAnswer, object]>([
    ['refuses the question', problem(401, 'token-required'), { code: 'token-required', status: 401 }],
    ['is asked too often', problem(429, 'too-many-requests'), { code: 'too-many-requests', status: 429 }],
    ['cannot repeat an answer', { pieces: [] }, { code: 'broken-stream' }],
  ])('at once when the server %s', async (_, answer, error) => {
    const { fetch, requests } = scriptedFetch([answer])
    await expect(queryAgent('Hi', null, {}, { fetch, backoff })).rejects.toMatchObject(error)
    expect(requests).toHaveLength(1)
  })

  test('at once when the server no longer has the answer, and says so', async () => {
    const { fetch, requests } = scriptedFetch([
      answered(bytes.slice(0, 200)),
      Response.json({ code: 'answer-not-found', detail: 'It is gone.' }, { status: 404 }),
    ])
    await expect(queryAgent('Hi', null, {}, { fetch, backoff })).rejects.toMatchObject({
      code: 'broken-stream',
      status: 404,
      message: 'The answer broke off before its end and could not be got back. It is gone. Ask again.',
    })
    expect(requests).toHaveLength(2)
  })
})

test('a server that falls silent has cut the answer, and another connection gets it back', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const line = heldLine(ids)
  const { fetch } = scriptedFetch([answered(bytes)])
  const fetches = [line.fetch, fetch]
  const { calls, callbacks } = recordingCallbacks()
  const asked = queryAgent('Hi', null, callbacks, {
    fetch: (...given) => (fetches.shift() ?? fetch)(...given),
    backoff,
  })
  await line.write(new TextDecoder().decode(upTo(2)))
  await vi.advanceTimersByTimeAsync(60_000)
  await vi.advanceTimersByTimeAsync(1)
  expect(await asked).toBe(whole.text)
  expect(calls).toEqual(whole.calls)
  expect(vi.getTimerCount()).toBe(0)
})

test('an abort while it waits for the next attempt is an AbortError, and nothing is asked any more', async () => {
  const leaving = new AbortController()
  const { fetch, requests } = scriptedFetch([answered(bytes.slice(0, 200))])
  const answer = queryAgent(
    'Hi',
    null,
    {},
    { fetch, signal: leaving.signal, backoff: { firstMs: 3_600_000 } },
  )
  await turnUntil(() => requests.length === 1)
  leaving.abort()
  await expect(answer).rejects.toMatchObject({ name: 'AbortError' })
  expect(requests).toHaveLength(1)
})

async function told(answers: readonly ScriptedAnswer[], maxRetries?: number) {
  const { calls, callbacks } = recordingCallbacks()
  const { fetch } = scriptedFetch(answers)
  const text = await queryAgent('天气？', null, callbacks, { fetch, backoff, maxRetries })
  return { text, calls }
}

/** The response of a server that can repeat its answer. The stream ends after these bytes. */
function answered(body: Uint8Array<ArrayBuffer> | string): Response {
  return new Response(body, { headers: { 'content-type': 'text/event-stream', ...ids } })
}

function upTo(count: number): Uint8Array<ArrayBuffer> {
  return bytesOf(weatherQuery.slice(0, count)).slice(0, -': done\n\n'.length)
}

function problem(status: number, code: string): Response {
  return Response.json({ code, detail: 'No.' }, { status })
}
