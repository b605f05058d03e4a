import { type Chunk, type Entry, isChatId } from '@throughline/protocol'
import { entriesOf, userMessage } from '@throughline/testing/log/entries-of'
import { idOf } from '@throughline/testing/log/id-of'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Chat } from '../../src/chat/create-chat.ts'
import { frameOf, type ScriptedAnswer, scriptedRequests } from '../scripted-responses.ts'
import { turnUntil } from '../turn-until.ts'
import { textsOf } from './recorded-chat.ts'

const deltas: readonly Chunk[] = Array.from({ length: 500 }, (_, index) => {
  return { type: 'text-delta', id: 'text', delta: `${index} ` }
})
const answer: readonly Chunk[] = [
  { type: 'start', messageId: 'answer', messageMetadata: { status: 'streaming' } },
  { type: 'text-start', id: 'text' },
  ...deltas,
]
const entries: readonly Entry[] = [
  ...entriesOf([userMessage('question', 'Count!')], { messageId: 'question' }),
  ...entriesOf(answer, { messageId: 'answer', after: 1 }),
]

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

test('listeners hear of any number of entries once, at the next frame', async () => {
  using chat = openChat([{ pieces: entries.map(frameOf), staysOpen: true }])
  await turnUntil(chat.isDrained)

  expect(chat.frames).toHaveLength(1)
  expect(chat.listener).not.toHaveBeenCalled()
  chat.runFrame()
  expect(chat.listener).toHaveBeenCalledOnce()
  const { messages, status } = chat.store.getSnapshot()
  expect(status).toBe('streaming')
  expect(textsOf(messages)).toEqual(['Count!', deltas.map((_, index) => `${index} `).join('')])
})

test('a snapshot stays the same object, and listeners hear nothing, while nothing in it has changed', async () => {
  const silent = entriesOf([{ type: 'data-note', data: 1, transient: true }, { type: 'finish-step' }], {
    messageId: 'answer',
    after: 3,
  })
  using chat = openChat([
    { pieces: entries.slice(0, 3).map(frameOf) },
    { pieces: silent.map(frameOf) },
    new Response('', { status: 503 }),
  ])
  await turnUntil(() => {
    chat.runFrame()
    return chat.store.getSnapshot().connection === 'lost'
  })
  const heard = chat.listener.mock.calls.length
  const snapshot = chat.store.getSnapshot()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(chat.logRequests()).toBeGreaterThan(3)
  expect(chat.frames).toHaveLength(1)
  chat.runFrame()

  expect(chat.store.getSnapshot()).toBe(snapshot)
  expect(chat.listener).toHaveBeenCalledTimes(heard)
})

test('a listener that has left hears nothing, and the others still do', async () => {
  using chat = openChat([{ pieces: entries.map(frameOf), staysOpen: true }])
  const listener = vi.fn()
  const unsubscribe = chat.store.subscribe(listener)
  unsubscribe()
  await turnUntil(chat.isDrained)
  chat.runFrame()

  expect(listener).not.toHaveBeenCalled()
  expect(chat.listener).toHaveBeenCalledOnce()
})

describe('a stream that cannot be followed', () => {
  test.each<[string, string, string]>([
    ['has bad data', 'data: oops\n\n', 'The stream cannot be read: an entry must be a JSON object.'],
    ['does not fold', entries.slice(0, 2).concat(orphan()).map(frameOf).join(''), 'which is not open'],
  ])('because it %s is told as what it is, and may be opened again', async (_, piece, words) => {
    using chat = openChat([
      { pieces: [piece], staysOpen: true },
      { pieces: entries.map(frameOf), staysOpen: true },
    ])
    await turnUntil(() => {
      chat.runFrame()
      return chat.store.getSnapshot().error !== undefined
    })
    const { error, connection } = chat.store.getSnapshot()
    expect(error).toMatchObject({ name: 'ChatError', code: 'broken-stream', isTemporary: false })
    expect(error?.message).toContain(words)
    expect(connection).toBe('lost')
    expect(vi.getTimerCount()).toBe(0)

    chat.store.close()
    chat.store.open()
    await turnUntil(chat.isDrained)
    await turnUntil(() => {
      chat.runFrame()
      return chat.store.getSnapshot().messages.length === 2
    })
    expect(chat.store.getSnapshot()).toMatchObject({ error: undefined, connection: 'open' })
  })

  test('because every answer is a reset is not asked for in a hurry', async () => {
    const reset = { pieces: ['event: reset\ndata: {"position":"epoch.0"}\n\n'] }
    using chat = openChat(Array.from({ length: 100 }, () => reset))
    await vi.advanceTimersByTimeAsync(0)
    await turnUntil(() => chat.logRequests() === 2)
    await vi.advanceTimersByTimeAsync(0)
    expect(chat.logRequests()).toBe(2)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(chat.logRequests()).toBeLessThan(20)
  })
})

test('a closed chat leaves no timer', async () => {
  const chat = openChat([{ pieces: entries.map(frameOf), staysOpen: true }])
  await turnUntil(chat.isDrained)
  expect(vi.getTimerCount()).toBe(1)
  chat.store.close()
  await turnUntil(() => vi.getTimerCount() === 0)
})

function orphan(): Entry[] {
  return entriesOf([{ type: 'text-delta', id: 'nowhere', delta: 'x' }], { messageId: 'answer', after: 2 })
}

/** An open, empty chat without a server. The test decides what its log brings, and when an animation frame comes. */
function openChat(logAnswers: readonly ScriptedAnswer[]) {
  const log = scriptedRequests(logAnswers)
  const frames: (() => void)[] = []
  const store = new Chat({
    chatId: idOf(isChatId, 'chat'),
    onFrame: callback => void frames.push(callback),
    fetch: async (input, init = {}) => {
      const url = String(input)
      return url.includes('/log?')
        ? log.request(url, init)
        : Response.json({ messages: [], position: 'epoch.0' })
    },
  })
  const listener = vi.fn()
  store.subscribe(listener)
  store.open()
  return {
    store,
    listener,
    frames,
    runFrame: () => frames.shift()?.(),
    isDrained: () => log.isDrained,
    logRequests: () => log.urls.length,
    [Symbol.dispose]: store.close,
  }
}
