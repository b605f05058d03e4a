import type { Chunk, Entry } from '@throughline/protocol'
import { entriesOf, userMessage } from '@throughline/testing/log/entries-of'
import { describe, expect, test } from 'vitest'
import { type Received, type ReceiveOptions, receive } from '../../src/chat/receive.ts'
import { ChatError } from '../../src/http/chat-error.ts'
import { frameOf, type ScriptedAnswer, scriptedRequests } from '../scripted-responses.ts'

const text: readonly Chunk[] = [
  { type: 'start', messageId: 'answer', messageMetadata: { senderName: '助手' } },
  { type: 'text-start', id: 'text' },
  { type: 'text-delta', id: 'text', delta: '今天天气很好，' },
  { type: 'text-delta', id: 'text', delta: 'naïve 👩‍👩‍👧 \u2028 "\\ \r\n' },
  { type: 'text-end', id: 'text' },
  { type: 'finish' },
]
const entries: readonly Entry[] = [
  ...entriesOf([userMessage('question', '天气？🌤')], { messageId: 'question' }),
  ...entriesOf(text, { messageId: 'answer', after: 1 }),
]
const frames = entries.map(frameOf)

describe('what arrives', () => {
  test('is the same entries, wherever the bytes are split', async () => {
    const bytes = new TextEncoder().encode(`retry: 1000\n\n${frames.join(': heartbeat\n\n')}`)
    for (let split = 0; split <= bytes.length; split += 1) {
      const answer = { pieces: [bytes.slice(0, split), bytes.slice(split)] }
      expect(await entriesOver([answer])).toEqual(entries)
    }
  })

  test('is the same entries when every byte comes alone', async () => {
    const bytes = new TextEncoder().encode(frames.join(''))
    expect(await entriesOver([{ pieces: Array.from(bytes, byte => Uint8Array.of(byte)) }])).toEqual(entries)
  })

  test('is asked for after the last entry that came, however often the connection ends', async () => {
    const answers = frames.map(frame => ({ pieces: [frame] }))
    const { urls, received } = await receiveAll(answers)

    expect(entriesIn(received)).toEqual(entries)
    expect(urls.slice(0, 3)).toEqual(['/log?after=epoch.0', '/log?after=epoch.1', '/log?after=epoch.2'])
  })

  test('is skipped when it came before', async () => {
    const twice = frames.flatMap((frame, index) => [...frames.slice(0, index), frame])
    expect(await entriesOver([{ pieces: twice }])).toEqual(entries)
  })

  test('is asked for again when something before it is missing', async () => {
    const [first = '', , third = ''] = frames
    const answers = [{ pieces: [first, third], staysOpen: true }, { pieces: frames }]
    const { urls, received } = await receiveAll(answers)

    expect(entriesIn(received)).toEqual(entries)
    expect(received[2]).toMatchObject({
      type: 'disconnected',
      error: { code: 'network', message: 'Entries after 1 are missing.' },
    })
    expect(urls.slice(0, 2)).toEqual(['/log?after=epoch.0', '/log?after=epoch.1'])
  })

  test('is passed by, but counted, when its chunk is of a type from the future', async () => {
    const [first, second, ...rest] = entries
    const future = { ...second, chunk: { type: 'hologram-start', id: 'h' } }
    const pieces = [first, future, ...rest].map(entry => `data: ${JSON.stringify(entry)}\n\n`)
    const seen = await entriesOver([{ pieces }])

    expect(seen.map(({ seq }) => seq)).toEqual(entries.map(({ seq }) => seq))
    expect(seen[1]?.chunk).toMatchObject({ type: 'data-unknown', transient: true })
  })

  test('is passed by when its event has a name of its own', async () => {
    expect(await entriesOver([{ pieces: ['event: ping\ndata: {}\n\n', ...frames] }])).toEqual(entries)
  })
})

describe('what cannot be read', () => {
  test.each([
    ['no JSON', 'data: {"seq":1\n\n', 'The stream cannot be read: an entry must be a JSON object.'],
    ['no entry', 'data: [1]\n\n', 'The stream cannot be read: an entry must be a JSON object.'],
    ['no number', entryWith({ seq: 0 }), 'an entry needs valid ids and numbers'],
    ['no ids', entryWith({ messageId: 'a/b' }), 'an entry needs valid ids and numbers'],
    ['no chunk', entryWith({ chunk: 'text' }), 'a chunk must be a JSON object'],
    [
      'a chunk without its fields',
      entryWith({ chunk: { type: 'text-delta', id: 'text' } }),
      'a text-delta chunk needs a valid "delta"',
    ],
  ])('is told and not tried again: %s', async (_, piece, message) => {
    const { error, urls } = await receiveAll([{ pieces: [piece], staysOpen: true }, { pieces: frames }])

    expect(error).toMatchObject({ name: 'ChatError', code: 'broken-stream', isTemporary: false })
    expect(error?.message).toContain(message)
    expect(urls).toHaveLength(1)
  })
})

describe('a reset', () => {
  test('is the last thing that is received, after the entries before it', async () => {
    const [first = ''] = frames
    const pieces = [`${first}event: reset\ndata: {"position":"other.9"}\n\n`, ...frames]
    const { received, urls } = await receiveAll([{ pieces, staysOpen: true }])

    expect(received.map(({ type }) => type)).toEqual(['connected', 'entries', 'reset'])
    expect(urls).toHaveLength(1)
  })
})

describe('an answer that is no stream', () => {
  test.each([401, 403, 404, 410])('ends it when it is %d', async status => {
    const { error, urls } = await receiveAll([problem(status), { pieces: frames }])

    expect(error).toMatchObject({ code: 'some-code', message: 'Some words.', status })
    expect(urls).toHaveLength(1)
  })

  test.each([429, 500, 502, 503])('is tried again when it is %d', async status => {
    const { received } = await receiveAll([problem(status), problem(status), { pieces: frames }])

    expect(received.slice(0, 2)).toMatchObject([
      { type: 'disconnected', error: { code: 'some-code', status } },
      { type: 'disconnected', error: { code: 'some-code', status } },
    ])
    expect(entriesIn(received)).toEqual(entries)
  })

  test('is told by its status when it says nothing of its own', async () => {
    const { error } = await receiveAll([new Response('<h1>Nothing here</h1>', { status: 404 })])
    expect(error).toMatchObject({
      code: 'http',
      message: 'The server responded with status 404.',
      status: 404,
    })
  })
})

function entryWith(fields: Readonly<Record<string, unknown>>): string {
  return `data: ${JSON.stringify({ ...entries[0], ...fields })}\n\n`
}

function problem(status: number): Response {
  return new Response(JSON.stringify({ code: 'some-code', detail: 'Some words.' }), { status })
}

async function entriesOver(answers: readonly ScriptedAnswer[]): Promise<readonly Entry[]> {
  return entriesIn((await receiveAll(answers)).received)
}

function entriesIn(received: readonly Received[]): readonly Entry[] {
  return received.flatMap(each => (each.type === 'entries' ? each.entries : []))
}

interface Outcome {
  readonly received: readonly Received[]
  readonly urls: readonly string[]
  readonly error: ChatError | undefined
}

/** Receives until the last entry has come, or it ends by itself. */
async function receiveAll(answers: readonly ScriptedAnswer[]): Promise<Outcome> {
  const { urls, request } = scriptedRequests(answers)
  const received: Received[] = []
  const options: ReceiveOptions = {
    url: '/log',
    after: { epoch: 'epoch', seq: 0 },
    signal: new AbortController().signal,
    request,
    backoff: { firstMs: 1, maxMs: 1 },
  }
  try {
    for await (const each of receive(options)) {
      received.push(each)
      if (entriesIn([each]).at(-1)?.seq === entries.length) break
    }
    return { received, urls, error: undefined }
  } catch (error) {
    if (!(error instanceof ChatError)) throw error
    return { received, urls, error }
  }
}
