import type { Store } from '@throughline/store/testing'
import { heldAgent, say } from '@throughline/testing/agent/scripted-agent'
import { sendJson, submit } from '@throughline/testing/http/chat-requests'
import { SseBytes } from '@throughline/testing/http/sse-bytes'
import { startTestServer } from '@throughline/testing/server/test-server'
import { expect, test } from 'vitest'
import { type Attempt, attempts, unknownIds } from '../security/route-attempts.ts'

/** What somebody sees who asks for something that takes long. Every route that is not here responds in one piece, and at once. */
type Seen = 'a stream with heartbeats' | 'JSON after blank lines'

const streams = [
  'POST /api/chat',
  'POST /api/v1/console/playground/agent/stream',
  'POST /agent/query-stream-delta',
  'POST /agent/query-stream',
  'POST /ag-ui',
]
const watching = [
  'GET /api/chat',
  'GET /api/chat/:id/stream',
  'GET /api/chats-stream',
  'GET /api/chats/:id/log',
]
const inOnePiece = ['POST /agent/query', 'POST /v1/chat/completions', 'POST /v1/responses']

/** Requests that the table of all routes does not have. */
const more: Readonly<Record<string, (chatId: string) => Attempt>> = {
  'POST /api/chats/:id/messages, queued': chatId => ({
    path: `/api/chats/${chatId}/messages`,
    body: { message: question('queued'), onBusy: 'queue' },
  }),
  'POST /api/chats/:id/answers, queued': chatId => ({
    path: `/api/chats/${chatId}/answers`,
    body: { messageId: 'held', onBusy: 'queue' },
  }),
  'POST /api/chat, as a data stream': chatId => ({
    path: '/api/chat?format=data-stream',
    body: { id: chatId, messages: [question('lines')] },
  }),
  'POST /v1/chat/completions, as a stream': chat_id => ({
    path: '/v1/chat/completions',
    body: {
      model: 'assistant',
      messages: [{ role: 'user', content: 'Tell me.' }],
      metadata: { chat_id },
      stream: true,
    },
  }),
  'POST /v1/responses, as a stream': conversation => ({
    path: '/v1/responses',
    body: { model: 'assistant', input: 'Tell me.', conversation, stream: true },
  }),
}

test('no route is silent while it waits for an answer, or for its turn behind one', async () => {
  const { agent, letGo } = heldAgent('assistant', { before: [say('I begin.')] })
  await using server = await startTestServer({ agents: [agent], heartbeatMs: 500 })
  const all = { ...attempts, ...more }
  const seen = await seenOf(all, async (route, attempt) => {
    const chatId = `chat-${Object.keys(all).indexOf(route)}`
    await (await submit(server.url, { chatId, messageId: 'held', text: 'I am asked.' })).text()
    // The answer is watched, so no message interrupts it.
    await using viewer = new SseBytes(await fetch(`${server.url}/api/chats/${chatId}/log`))
    await viewer.until('I begin.')
    return see(await request(server.url, route, attempt(chatId, unknownIds)))
  })
  letGo()
  expect(seen).toEqual({
    ...named([...streams, ...watching], 'a stream with heartbeats'),
    ...named(inOnePiece, 'JSON after blank lines'),
    'POST /api/chats/:id/messages, queued': 'JSON after blank lines',
    'POST /api/chats/:id/answers, queued': 'JSON after blank lines',
    'POST /api/chat, as a data stream': 'a stream with heartbeats',
    'POST /v1/chat/completions, as a stream': 'a stream with heartbeats',
    'POST /v1/responses, as a stream': 'a stream with heartbeats',
  })
}, 60_000)

test('no route is silent while the store hangs: it has heartbeats, or is refused with 503', async () => {
  const held = Promise.withResolvers<void>()
  let isHeld = false
  await using server = await startTestServer({
    heartbeatMs: 500,
    wrapStore: store =>
      holding(store, async () => {
        if (isHeld) await held.promise
      }),
  })
  isHeld = true
  const refusals: (readonly [route: string, retryAfter: string | null, type: string | null])[] = []
  const seen = await seenOf(attempts, async (route, attempt) => {
    const response = await request(server.url, route, attempt('chat', unknownIds))
    const { status, headers } = response
    if (status === 503) refusals.push([route, headers.get('retry-after'), headers.get('content-type')])
    return see(response)
  })
  held.resolve()
  expect(seen).toEqual({ 'GET /api/chats-stream': 'a stream with heartbeats' })
  expect(refusals.length).toBeGreaterThan(40)
  for (const [route, retryAfter, type] of refusals) {
    const form = route.includes(' /v1/') ? 'application/json' : 'application/problem+json'
    expect([route, retryAfter, type]).toEqual([route, '5', form])
  }
}, 60_000)

/** Asks every route, all at once. Returns those that do not respond in one piece. */
async function seenOf(
  all: Readonly<Record<string, (typeof attempts)[string]>>,
  ask: (route: string, attempt: (typeof attempts)[string]) => Promise<Seen | 'one piece'>,
): Promise<Readonly<Record<string, Seen | 'one piece'>>> {
  const seen = await Promise.all(
    Object.entries(all).map(async ([route, attempt]) => [route, await ask(route, attempt)] as const),
  )
  return Object.fromEntries(seen.filter(([, each]) => each !== 'one piece'))
}

function request(url: string, route: string, { path, body }: Attempt): Promise<Response> {
  const [method = ''] = route.split(' ')
  return body === undefined ? fetch(url + path, { method }) : sendJson(url + path, body, { method })
}

/** Reads a response to its end, or until it has had two heartbeats. */
async function see(response: Response): Promise<Seen | 'one piece'> {
  const isJson = response.headers.get('content-type') === 'application/json'
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  for (;;) {
    // On a busy machine, a request may be refused after its response has begun. Then the response is cut.
    const { value } = (await reader?.read().catch(() => undefined)) ?? {}
    if (value === undefined) return 'one piece'
    text += value
    const beats = isJson ? text.length - text.trimStart().length : (text.match(/^(:|2:\[\])/gm) ?? []).length
    if (beats < 3) continue
    await reader?.cancel()
    return isJson ? 'JSON after blank lines' : 'a stream with heartbeats'
  }
}

function question(id: string) {
  return { id, role: 'user', parts: [{ type: 'text', text: 'Tell me.' }] }
}

function named(routes: readonly string[], seen: Seen): Readonly<Record<string, Seen>> {
  return Object.fromEntries(routes.map(route => [route, seen]))
}

/** Wraps all functions of a store, so that each waits first. */
function holding(store: Store, wait: () => Promise<void>): Store {
  const held = <Value extends object>(value: Value): Value =>
    new Proxy(value, {
      get(target, name, receiver) {
        const found: unknown = Reflect.get(target, name, receiver)
        if (typeof found === 'object' && found !== null && name !== 'signals') return held(found)
        if (typeof found !== 'function' || syncNames.has(name)) return found
        return async (...args: unknown[]) => {
          await wait()
          return Reflect.apply(found, target, args)
        }
      },
    })
  return held(store)
}

/** The functions of a store that do not return promises. */
const syncNames = new Set<string | symbol>(['now', 'onAppend', 'release', 'onFailure', 'then'])
