import { isChatId, isMessageId, isRecord, type QueryEvent } from '@throughline/protocol'
import { encodeQuery, weatherQuery } from '@throughline/testing/http/query-event-samples'
import { waitLimitMs } from '@throughline/testing/waits/wait-limit'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { queryAgent } from '../../src/events/query-agent.ts'
import type { ScriptedAnswer } from '../scripted-responses.ts'
import { recordingCallbacks, scriptedFetch } from './scripted-queries.ts'

const timestamp = '2026-02-06T10:30:00.123Z'
const delta = (text: string): QueryEvent => ({ type: 'text_delta', delta: text, timestamp })
const final = (content: string): QueryEvent => ({ type: 'final', content, timestamp })

const brokenOff =
  'The answer broke off before its end and could not be got back. The connection ended. Ask again.'

afterEach(() => void vi.restoreAllMocks())

describe('what is asked', () => {
  test('is the message and its session, as JSON, of the address for deltas', async () => {
    const { requests } = await ask([answer(final('Yes.'))], { sessionId: 'session-1' })
    expect(requests).toMatchObject([
      { url: '/agent/query-stream-delta', body: { message: '天气？', session_id: 'session-1' } },
    ])
    expect(requests[0]?.headers.get('content-type')).toBe('application/json')
  })

  test.each([null, undefined])('has a session of its own when none is given but %s', async sessionId => {
    const asked = [
      await ask([answer(final('Yes.'))], { sessionId }),
      await ask([answer(final('Yes.'))], { sessionId }),
    ]
    const ids = asked.flatMap(({ requests }) => requests.map(({ body }) => idsIn(body).session_id))
    expect(ids.every(isChatId)).toBe(true)
    expect(new Set(ids).size).toBe(2)
  })

  test('has an id of its own, or the one that is given', async () => {
    const asked = [await ask([answer(final('Yes.'))]), await ask([answer(final('Yes.'))])]
    const ids = asked.flatMap(({ requests }) => requests.map(({ body }) => idsIn(body).message_id))
    expect(ids.every(isMessageId)).toBe(true)
    expect(new Set(ids).size).toBe(2)
    const { requests } = await ask([answer(final('Yes.'))], { messageId: 'question-1' })
    expect(requests[0]?.body).toMatchObject({ message_id: 'question-1' })
  })

  test('names the agent that is to answer', async () => {
    const { requests } = await ask([answer(final('Yes.'))], { agent: 'researcher' })
    expect(requests[0]?.body).toMatchObject({ agent: 'researcher' })
  })

  test('is another address for steps, of another server, with the headers of the page', async () => {
    const { requests } = await ask([answer(final('Yes.'))], {
      url: 'https://agents.example',
      level: 'step',
      headers: () => ({ authorization: 'Bearer token', 'Content-Type': 'text/plain' }),
    })
    expect(requests[0]?.url).toBe('https://agents.example/agent/query-stream')
    expect(requests[0]?.headers.get('authorization')).toBe('Bearer token')
    expect(requests[0]?.headers.get('content-type')).toBe('application/json')
  })
})

describe('the text', () => {
  test('is what the final event says, also when the pieces said something else', async () => {
    expect((await ask([answer(delta('Yes, '), final('Yes, and no.'))])).text).toBe('Yes, and no.')
  })

  test('is that of all steps on a stream of steps, a blank line between them', async () => {
    const text = (content: string): QueryEvent => ({ type: 'text', content, timestamp })
    const { calls, text: whole } = await ask([answer(text('One.'), text('Two.'), failure)], { level: 'step' })
    expect(calls).toEqual([
      ['onText', text('One.')],
      ['onText', text('Two.')],
      ['onError', failure],
    ])
    expect(whole).toBe('One.\n\nTwo.')
  })

  test('is what there was when the agent failed', async () => {
    const { calls, text } = await ask([answer(delta('Well, '), failure)])
    expect(calls.at(-1)).toEqual(['onError', failure])
    expect(text).toBe('Well, ')
  })

  test('needs no callbacks', async () => {
    expect(await queryAgent('Hi', null, undefined, scriptedFetch([answer(final('Yes.'))]))).toBe('Yes.')
    expect(await queryAgent('Hi', null, {}, scriptedFetch([answer(delta('a'), final('Yes.'))]))).toBe('Yes.')
  })
})

describe('a bad event', () => {
  const bad = ['data: {"type":"text_delta"}\n\n', 'data: oops\n\n', 'data: : done\n\n', 'data: [1]\n\n']

  test('is reported with its data, and the stream goes on', async () => {
    const pieces = [encode(delta('a')), ...bad, encode(delta('b')), encode(final('ab'))]
    const { calls, text } = await ask([{ pieces }])
    expect(calls).toEqual([
      ['onTextDelta', 'a', 'a'],
      [
        'onBadEvent',
        'the field "delta" of a text_delta event is missing or of the wrong type',
        '{"type":"text_delta"}',
      ],
      ['onBadEvent', 'the data is not JSON', 'oops'],
      ['onBadEvent', 'the data is not JSON', ': done'],
      ['onBadEvent', 'an event must be a JSON object', '[1]'],
      ['onTextDelta', 'b', 'ab'],
      ['onFinal', final('ab')],
    ])
    expect(text).toBe('ab')
  })

  test('is told to the console when nobody asks for it', async () => {
    const log = vi.spyOn(console, 'error').mockReturnValue()
    await queryAgent('Hi', null, {}, scriptedFetch([{ pieces: ['data: oops\n\n', encode(final('Yes.'))] }]))
    expect(log.mock.calls).toEqual([['A bad event was skipped: the data is not JSON.', 'oops']])
  })

  test('is reported after the final event too, and so is a good one that has no place there', async () => {
    const pieces = [encode(final('Yes.')), 'data: oops\n\n', encode(delta('more')), ': done\n\n']
    const { calls, text } = await ask([{ pieces }])
    expect(calls).toEqual([
      ['onFinal', final('Yes.')],
      ['onBadEvent', 'the data is not JSON', 'oops'],
      ['onBadEvent', 'a text_delta event came after the final one', JSON.stringify(delta('more'))],
    ])
    expect(text).toBe('Yes.')
  })

  test('is not one whose type is from the future: that is passed by', async () => {
    const pieces = ['data: {"type":"hologram"}\n\n', encode(final('Yes.'))]
    expect((await ask([{ pieces }])).calls).toEqual([['onFinal', final('Yes.')]])
  })
})

describe('a callback that fails', () => {
  test.each<[string, () => void]>([
    ['throws', () => fail()],
    ['rejects', async () => fail()],
  ])('because it %s is reported, and the stream goes on', async (_, onTextDelta) => {
    const log = vi.spyOn(console, 'error').mockReturnValue()
    const onRaw = () => fail()
    const { fetch } = scriptedFetch([answer(delta('a'), delta('b'), final('ab'))])

    expect(await queryAgent('Hi', null, { onTextDelta }, { fetch, onRaw })).toBe('ab')
    await vi.waitFor(() => expect(log.mock.calls.filter(([error]) => error === failed)).toHaveLength(9), {
      timeout: waitLimitMs(),
    })
  })
})

describe('the end', () => {
  test('is what the server says, whether or not it hangs up', async () => {
    const pieces = [encodeQuery(weatherQuery)]
    expect((await ask([{ pieces, staysOpen: true }])).calls).toHaveLength(weatherQuery.length)
  })

  test('has come with the final event, though the connection breaks before it says more', async () => {
    const pieces = [encode(final('Yes.'))]
    const breaking = new Response(brokenAfter(pieces))
    expect((await ask([breaking])).text).toBe('Yes.')
  })

  test.each<[string, ScriptedAnswer, object]>([
    ['ends before it', { pieces: [encode(delta('Well, '))] }, { code: 'broken-stream', message: brokenOff }],
    [
      'ends in the middle of it',
      { pieces: [encode(final('Yes.')).slice(0, -1)] },
      { code: 'broken-stream', message: brokenOff },
    ],
    ['breaks before it', new Response(brokenAfter([encode(delta('a'))])), { code: 'broken-stream' }],
    [
      'is no stream but a page',
      new Response('<h1>Hello</h1>', { headers: { 'content-type': 'text/html' } }),
      {
        code: 'broken-stream',
        message: `The server responded with text/html, not with events. Check that "url" is the server's.`,
      },
    ],
    ['is nothing at all', new Response(null, { status: 204 }), { code: 'broken-stream' }],
    [
      'is a problem',
      Response.json({ code: 'chat-busy', detail: 'The chat is busy. Wait.' }, { status: 409 }),
      { code: 'chat-busy', message: 'The chat is busy. Wait.', status: 409 },
    ],
    ['says nothing of its own', new Response('', { status: 502 }), { code: 'http', status: 502 }],
  ])('is missed when the answer %s', async (_, given, error) => {
    await expect(ask([given], { maxRetries: 0 })).rejects.toMatchObject({ name: 'ChatError', ...error })
  })

  test('is missed when nobody answers', async () => {
    const fetch = async () => Promise.reject(new TypeError('fetch failed'))
    await expect(queryAgent('Hi', null, {}, { fetch, maxRetries: 0 })).rejects.toMatchObject({
      name: 'ChatError',
      code: 'network',
    })
  })
})

test('the wire can be looked at: every event and every comment, in order', async () => {
  const lines: string[] = []
  const { fetch } = scriptedFetch([answer(delta('a'), final('a'))])
  await queryAgent('Hi', null, {}, { fetch, onRaw: line => lines.push(line) })
  expect(lines).toEqual([
    ': heartbeat',
    `data: ${JSON.stringify(delta('a'))}`,
    ': heartbeat',
    `data: ${JSON.stringify(final('a'))}`,
    ': done',
  ])
})

const failure: QueryEvent = { type: 'error', error: 'API connection timeout', timestamp }
const failed = new Error('no')

function fail(): never {
  throw failed
}

function idsIn(body: unknown): { readonly session_id?: unknown; readonly message_id?: unknown } {
  return isRecord(body) ? body : {}
}

function encode(event: QueryEvent): string {
  return `data: ${JSON.stringify(event)}\n\n`
}

function answer(...events: readonly QueryEvent[]): ScriptedAnswer {
  return { pieces: [encodeQuery(events)] }
}

function brokenAfter(pieces: string[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull(controller) {
      const piece = pieces.shift()
      if (piece === undefined) controller.error(new TypeError('terminated'))
      else controller.enqueue(new TextEncoder().encode(piece))
    },
  })
}

async function ask(
  answers: readonly ScriptedAnswer[],
  {
    sessionId,
    ...options
  }: Parameters<typeof queryAgent>[3] & { readonly sessionId?: string | null | undefined } = {},
) {
  const { requests, fetch } = scriptedFetch(answers)
  const { calls, callbacks } = recordingCallbacks()
  const text = await queryAgent('天气？', sessionId, callbacks, { ...options, fetch })
  return { text, calls, requests }
}
