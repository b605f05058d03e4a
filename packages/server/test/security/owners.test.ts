import { isChatId } from '@throughline/protocol/ids'
import { textOf } from '@throughline/protocol/message'
import type { Run } from '@throughline/store/runs'
import { finish, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import { ask, loadChat, sendJson, submit } from '@throughline/testing/http/chat-requests'
import { SseBytes } from '@throughline/testing/http/sse-bytes'
import { idOf } from '@throughline/testing/log/id-of'
import {
  defaultAgents,
  ownerIdOf,
  startTestServer,
  type TestServer,
  type TestServerOptions,
} from '@throughline/testing/server/test-server'
import { temporaryStores } from '@throughline/testing/store/temporary-store'
import { pino } from 'pino'
import { afterAll, describe, expect, test } from 'vitest'
import { createServices } from '../../src/create-services.ts'
import { createApp } from '../../src/http/app.ts'
import { TokenTable } from '../../src/http/token-table.ts'
import { until } from '../signals/until.ts'

const secret = 'the harbour password'
const alice = bearer('alice')

interface Attempt {
  readonly path: string
  readonly body?: unknown
}

/** What has no name that a client chooses. */
interface Ids {
  readonly fileId: string
  readonly runId: string
  readonly shareKey: string
}

const unknownIds: Ids = {
  fileId: `file_${'0'.repeat(32)}`,
  runId: `run_${'0'.repeat(32)}`,
  shareKey: '0'.repeat(40),
}

// Every route that exists, with a request that names a chat, or what else has that name. A new route fails the first test until it is here.
const attempts: Readonly<Record<string, (chatId: string, ids: Ids) => Attempt>> = {
  'GET /health': () => ({ path: '/health' }),
  'GET /ready': () => ({ path: '/ready' }),
  'GET /api/status': () => ({ path: '/api/status' }),
  'GET /api/usage': () => ({ path: '/api/usage' }),
  'GET /api/agents': () => ({ path: '/api/agents' }),
  'GET /api/agents/:name': name => ({ path: `/api/agents/${name}` }),
  'PUT /api/agents/:name': name => ({ path: `/api/agents/${name}`, body: definition('Mine.') }),
  'DELETE /api/agents/:name': name => ({ path: `/api/agents/${name}` }),
  'GET /api/tools': () => ({ path: '/api/tools' }),
  'GET /api/connections': () => ({ path: '/api/connections' }),
  'POST /api/connections/:name/sign-in': name => ({
    path: `/api/connections/${name}/sign-in`,
    body: { redirectUrl: 'http://localhost/connected/x' },
  }),
  'POST /api/connections/:name/finish': name => ({
    path: `/api/connections/${name}/finish`,
    body: { state: 'x' },
  }),
  'DELETE /api/connections/:name': name => ({ path: `/api/connections/${name}` }),
  'POST /api/approvals/:id': id => ({ path: `/api/approvals/${id}`, body: { approved: true } }),
  'POST /api/outputs/:id': id => ({ path: `/api/outputs/${id}`, body: { output: 'mine' } }),
  'POST /api/chat': chatId => ({ path: '/api/chat', body: question(chatId) }),
  'POST /api/v1/console/playground/agent/stream': chatId => ({
    path: '/api/v1/console/playground/agent/stream',
    body: question(chatId),
  }),
  'GET /api/chat': chatId => ({ path: `/api/chat?chatId=${chatId}` }),
  'GET /api/chat/:id/stream': chatId => ({ path: `/api/chat/${chatId}/stream` }),
  'POST /api/chat/:id/stop': chatId => ({ path: `/api/chat/${chatId}/stop`, body: {} }),
  'GET /api/chats': () => ({ path: '/api/chats' }),
  'GET /api/chats-stream': () => ({ path: '/api/chats-stream' }),
  'POST /api/chats': chatId => ({ path: '/api/chats', body: { id: chatId, title: 'Mine' } }),
  'GET /api/chats/:id': chatId => ({ path: `/api/chats/${chatId}` }),
  'PATCH /api/chats/:id': chatId => ({ path: `/api/chats/${chatId}`, body: { title: 'Taken over' } }),
  'DELETE /api/chats/:id': chatId => ({ path: `/api/chats/${chatId}` }),
  'GET /api/chats/:id/messages': chatId => ({ path: `/api/chats/${chatId}/messages` }),
  'POST /api/chats/:id/messages': chatId => ({
    path: `/api/chats/${chatId}/messages`,
    body: { message: question(chatId).messages[0] },
  }),
  'PATCH /api/chats/:id/messages': chatId => ({
    path: `/api/chats/${chatId}/messages`,
    body: { messages: [{ id: 'question', metadata: { colour: 'blue' } }] },
  }),
  'DELETE /api/chats/:id/messages/:messageId': chatId => ({ path: `/api/chats/${chatId}/messages/question` }),
  'POST /api/chats/:id/messages/:messageId/move': chatId => ({
    path: `/api/chats/${chatId}/messages/question/move`,
    body: { after: '' },
  }),
  'POST /api/chats/:id/answers': chatId => ({
    path: `/api/chats/${chatId}/answers`,
    body: { messageId: 'question' },
  }),
  'GET /api/chats/:id/branches': chatId => ({ path: `/api/chats/${chatId}/branches` }),
  'GET /api/chats/:id/queue': chatId => ({ path: `/api/chats/${chatId}/queue` }),
  'PATCH /api/chats/:id/queue/:messageId': chatId => ({
    path: `/api/chats/${chatId}/queue/waiting`,
    body: { text: 'Mine' },
  }),
  'DELETE /api/chats/:id/queue/:messageId': chatId => ({ path: `/api/chats/${chatId}/queue/waiting` }),
  'GET /api/chats/:id/files/:fileId': (chatId, { fileId }) => ({
    path: `/api/chats/${chatId}/files/${fileId}`,
  }),
  'GET /api/chats/:id/share': chatId => ({ path: `/api/chats/${chatId}/share` }),
  'POST /api/chats/:id/share': chatId => ({ path: `/api/chats/${chatId}/share`, body: {} }),
  'DELETE /api/chats/:id/share/:key': (chatId, { shareKey }) => ({
    path: `/api/chats/${chatId}/share/${shareKey}`,
  }),
  // Nobody knows the key but her. What somebody with the key can read is in shared.test.ts.
  'GET /api/shared/:key': chatId => ({ path: `/api/shared/${chatId}` }),
  'GET /api/shared/:key/files/:fileId': (chatId, { fileId }) => ({
    path: `/api/shared/${chatId}/files/${fileId}`,
  }),
  'GET /api/chats/:id/log': chatId => ({ path: `/api/chats/${chatId}/log` }),
  'POST /agent/query-stream-delta': chatId => ({ path: '/agent/query-stream-delta', body: query(chatId) }),
  'POST /agent/query-stream': chatId => ({ path: '/agent/query-stream', body: query(chatId) }),
  'POST /agent/query': chatId => ({ path: '/agent/query', body: query(chatId) }),
  'POST /ag-ui': chatId => ({ path: '/ag-ui', body: agUiInput(chatId) }),
  'GET /ag-ui/capabilities': () => ({ path: '/ag-ui/capabilities' }),
  'GET /v1/models': () => ({ path: '/v1/models' }),
  'GET /v1/models/:id': name => ({ path: `/v1/models/${name}` }),
  'POST /v1/chat/completions': chatId => ({ path: '/v1/chat/completions', body: completion(chatId) }),
  'POST /v1/responses': conversation => ({
    path: '/v1/responses',
    body: { model: 'assistant', input: 'Tell me.', conversation },
  }),
  'GET /v1/responses/:id': (_, { runId }) => ({ path: `/v1/responses/${runId}` }),
  'DELETE /v1/responses/:id': (_, { runId }) => ({ path: `/v1/responses/${runId}` }),
  'GET /v1/responses/:id/input_items': (_, { runId }) => ({ path: `/v1/responses/${runId}/input_items` }),
  'POST /v1/responses/:id/cancel': (_, { runId }) => ({ path: `/v1/responses/${runId}/cancel`, body: {} }),
  'POST /api/tickets': chatId => ({ path: '/api/tickets', body: { chatId } }),
  'GET /sessions': () => ({ path: '/sessions' }),
  'POST /sessions': chatId => ({ path: '/sessions', body: { session_id: chatId, title: 'Mine' } }),
  'GET /sessions/:id': chatId => ({ path: `/sessions/${chatId}` }),
  'POST /sessions/:id/outputs/:requestId': id => ({
    path: `/sessions/${id}/outputs/${id}`,
    body: { output: 'mine' },
  }),
  'POST /sessions/:id/approvals/:approvalId': id => ({
    path: `/sessions/${id}/approvals/${id}`,
    body: { approved: true },
  }),
  'POST /sessions/:id/clear': chatId => ({ path: `/sessions/${chatId}/clear`, body: {} }),
  'POST /api/channels/:name': () => ({ path: '/api/channels/hook', body: {} }),
  'POST /api/chats/:id/take-over': chatId => ({ path: `/api/chats/${chatId}/take-over`, body: { on: true } }),
  'POST /api/chats/:id/reply': chatId => ({ path: `/api/chats/${chatId}/reply`, body: { text: 'Hi.' } }),
  'DELETE /sessions/:id': chatId => ({ path: `/sessions/${chatId}` }),
}
// The last one asks for a signature instead, which each channel tests for itself.
const publicRoutes = [
  'GET /health',
  'GET /ready',
  'GET /api/shared/:key',
  'GET /api/shared/:key/files/:fileId',
  'POST /api/channels/:name',
]
/** They make what is not there: another owner's chat or agent of the same name is another one. */
const makingRoutes = [
  'POST /api/chat',
  'POST /api/v1/console/playground/agent/stream',
  'POST /api/chats',
  'POST /api/chats/:id/messages',
  'PUT /api/agents/:name',
  'POST /agent/query-stream-delta',
  'POST /agent/query-stream',
  'POST /agent/query',
  'POST /ag-ui',
  'POST /v1/chat/completions',
  'POST /v1/responses',
  'POST /api/tickets',
  'POST /sessions',
]
const routes = Object.keys(attempts)

// A stranger of its own for each test: what one of them made is not there for the next.
const names = ['alice', 'bob', 'carol', 'dave', ...routes.map((_, index) => `stranger-${index}`)]
const tokens = new Map(names.map(name => [tokenOf(name), ownerIdOf(name)]))

/** How the server knows people: by tokens of its own, or by asking the application. */
const ways = [
  { way: 'tokens', code: 'token-required', known: { tokens } },
  { way: 'authenticate', code: 'sign-in-required', known: { authenticate: byHeader } },
] as const

const settings = await Promise.all(
  temporaryStores.flatMap(({ name, temporaryStore: openStore }) =>
    ways.map(async ({ known, ...way }) => ({
      name,
      ...way,
      closed: await startTestServer({ ...known, openStore }),
      world: await startWorld({ ...known, openStore }),
    })),
  ),
)
afterAll(async () => {
  for (const { closed, world } of settings) {
    await closed[Symbol.asyncDispose]()
    await world[Symbol.asyncDispose]()
  }
})

describe.each(settings)('on $name, with $way,', ({ closed, world, code }) => {
  test('every route is covered here', () => {
    expect(routes.toSorted()).toEqual(routesOf(closed).toSorted())
  })

  test.each(routes.filter(route => !publicRoutes.includes(route)))(
    '%s wants somebody who is known',
    async route => {
      for (const headers of [{}, bearer('nobody'), { authorization: 'Basic x' }]) {
        const response = await attempt(closed, route, { chatId: 'chat', headers })
        expect(response.status).toBe(401)
        const problem = { code }
        expect(await response.json()).toMatchObject(route.includes(' /v1/') ? { error: problem } : problem)
      }
    },
  )

  describe("of another owner's chat", () => {
    test.each(routes)('%s tells nothing', async route => {
      const { server, ids } = world
      const headers = bearer(`stranger-${routes.indexOf(route)}`)
      const asked = await answerOf(await attempt(server, route, { chatId: 'harbour', headers, ids }))
      expect(asked.body).not.toContain(secret)
      if (publicRoutes.includes(route) || makingRoutes.includes(route)) return
      const unknown = await answerOf(await attempt(server, route, { chatId: 'nowhere', headers }))
      const body = unknown.body
        .replaceAll('nowhere', 'harbour')
        .replaceAll(unknownIds.fileId, ids.fileId)
        .replaceAll(unknownIds.runId, ids.runId)
        .replaceAll(unknownIds.shareKey, ids.shareKey)
      expect(asked).toEqual({ ...unknown, body })
    })

    test('nothing is changed by anything another owner does', async () => {
      const { server, letGo, ids } = world
      for (const route of routes) {
        await answerOf(await attempt(server, route, { chatId: 'harbour', headers: bearer('bob'), ids }))
      }
      const chat = await fetch(`${server.url}/api/chats/harbour`, { headers: alice })
      expect(await chat.json()).toMatchObject({ title: secret })
      const agent = await fetch(`${server.url}/api/agents/harbour`, { headers: alice })
      expect(await agent.json()).toMatchObject({ description: secret, version: 1 })
      expect((await server.store.approvals.find(ownerIdOf('alice'), 'harbour'))?.status).toBe('pending')
      const file = await fetch(`${server.url}/api/chats/harbour/files/${ids.fileId}`, { headers: alice })
      expect(await file.text()).toBe(secret)
      const links = await fetch(`${server.url}/api/chats/harbour/share`, { headers: alice })
      expect(await links.json()).toMatchObject({ links: [{ key: ids.shareKey }] })
      const queue = await fetch(`${server.url}/api/chats/harbour/queue`, { headers: alice })
      expect(await queue.json()).toMatchObject({
        queue: [{ id: 'waiting', message: { parts: [{ text: secret }] } }],
      })
      letGo()
      expect((await world.stream.rest()).toString()).toContain('[DONE]')
      expect((await world.waiting)?.status).toBe(202)
      await expect.poll(() => server.store.runs.unfinished()).toEqual([])
      const messages = await fetch(`${server.url}/api/chats/harbour/messages`, { headers: alice })
      expect(await messages.json()).toMatchObject({
        messages: [
          { role: 'user' },
          { metadata: { status: 'finished' }, parts: [{ text: `${secret}.` }] },
          { id: 'waiting' },
          { metadata: { status: 'finished' } },
        ],
      })
    })

    // Their messages have the same id as hers, so each of these would find hers if it looked for it.
    test.each([
      ['regenerate', { trigger: 'regenerate-message' }],
      ['edit', { messageId: 'question' }],
    ])('a request to %s is about the message of who asks', async (_, fields) => {
      const headers = bearer('dave')
      const response = await ask(world.server.url, { chatId: 'harbour', text: 'Tell me.', headers, fields })
      expect(await response.text()).not.toContain(secret)
    })

    test('and read as an empty history, it looks like one that does not exist', async () => {
      const [asked, unknown] = await Promise.all(
        ['harbour', 'nowhere'].map(async chatId => {
          const path = `${world.server.url}/api/chats/${chatId}/messages?branches=all&missing=empty`
          return answerOf(await fetch(path, { headers: bearer('stranger-0') }))
        }),
      )
      expect(asked).toEqual(unknown)
      expect(asked?.body).toBe('{"messages":[],"position":null}')
    })

    test("the position in another owner's log is unknown in one's own", async () => {
      const { server, stream } = world
      const position = /^id: (.+)$/m.exec(stream.bytes.toString())?.[1] ?? ''
      await (await ask(server.url, { chatId: 'harbour', headers: bearer('carol') })).body?.cancel()
      const headers = { ...bearer('carol'), 'last-event-id': position }
      const resumed = await fetch(`${server.url}/api/chat/harbour/stream`, { headers })
      expect(resumed.status).toBe(410)
      await using log = new SseBytes(await fetch(`${server.url}/api/chats/harbour/log`, { headers }))
      expect((await log.rest()).toString()).toMatch(/^retry: 1000\n\nevent: reset\n/)
    })
  })
})

test('without tokens everybody who reaches the server is one owner', async () => {
  await using server = await startTestServer()
  await (await ask(server.url)).text()
  expect((await loadChat(server.url)).messages).toHaveLength(2)
})

/**
 * Alice has a chat with a secret in it, whose answer is still being written and waits for an approval. Another message waits
 * for the end of the answer. The chat has a file and a link, and there is an agent of the same name.
 */
async function startWorld(options: TestServerOptions) {
  const held = Promise.withResolvers<void>()
  const agent = scriptedAgent('assistant', async function* ({ messages }) {
    const text = messages.map(textOf).join()
    yield say(text)
    // Only hers is held: a stranger's questions are answered in full, also where the answer comes in one piece.
    if (text.includes(secret)) await held.promise
    yield say('.')
    yield finish
  })
  const server = await startTestServer({ ...options, agents: [agent] })
  const stream = new SseBytes(await ask(server.url, { chatId: 'harbour', text: secret, headers: alice }))
  await stream.until(secret)
  const run = await openApproval(server, 'harbour')
  const queued = { messageId: 'waiting', text: secret, fields: { onBusy: 'queue' } }
  const waiting = submit(server.url, { chatId: 'harbour', headers: alice, ...queued }).catch(() => undefined)
  await until(() => server.store.waitingSubmissions.first(run))
  const file = { mediaType: 'text/plain', bytes: Buffer.from(secret), at: run.startedAt }
  const shared = await sendJson(`${server.url}/api/chats/harbour/share`, {}, { headers: alice })
  const ids: Ids = {
    fileId: await server.store.files.keep(run, file),
    runId: run.id,
    shareKey: (await shared.json()).key,
  }
  await sendJson(`${server.url}/api/agents/harbour`, definition(secret), { method: 'PUT', headers: alice })
  return {
    server,
    stream,
    ids,
    waiting,
    letGo: held.resolve,
    async [Symbol.asyncDispose]() {
      await stream[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    },
  }
}

/** A request of Alice's run in her chat, of the same id as the chat. */
async function openApproval({ store }: TestServer, id: string): Promise<Run> {
  const chatId = idOf(isChatId, id)
  const ownerId = ownerIdOf('alice')
  const run = await store.runs.active({ ownerId, chatId })
  if (run === undefined) throw new Error(`Nothing runs in chat ${id}.`)
  await store.approvals.open({
    id,
    ownerId,
    chatId,
    runId: run.id,
    messageId: run.answerId,
    toolCallId: 'call',
    toolName: 'unlock',
    inputHash: 'hash',
    createdAt: run.startedAt,
  })
  return run
}

function definition(description: string) {
  return { description, systemPrompt: `You keep: ${description}` }
}

function attempt(
  { url }: TestServer,
  route: string,
  {
    chatId,
    headers,
    ids = unknownIds,
  }: { readonly chatId: string; readonly headers: Readonly<Record<string, string>>; readonly ids?: Ids },
): Promise<Response> {
  const [method = ''] = route.split(' ')
  const { path, body } = attempts[route]?.(chatId, ids) ?? { path: '/' }
  if (body !== undefined) return sendJson(url + path, body, { method, headers })
  return fetch(url + path, { method, headers })
}

/** A stream is read only as far as it can be told apart from a refusal: a log's does not end. */
async function answerOf(response: Response): Promise<{ status: number; body: string }> {
  const { status, headers, url } = response
  if (!headers.get('content-type')?.startsWith('text/event-stream'))
    return { status, body: await response.text() }
  await using stream = new SseBytes(response)
  // The list of chats is the first event of its stream.
  const end = url.endsWith('/api/chats-stream') ? ']}\n\n' : '\n\n'
  return { status, body: (await stream.until(end)).toString() }
}

function bearer(name: string): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${tokenOf(name)}` }
}

/** The application knows people by the same header. */
function byHeader({ headers }: Request): { readonly ownerId: string } | undefined {
  const [, token = ''] = /^Bearer (.+)$/.exec(headers.get('authorization') ?? '') ?? []
  const ownerId = tokens.get(token)
  return ownerId === undefined ? undefined : { ownerId }
}

function tokenOf(name: string): string {
  return `the-token-of-${name}`
}

function agUiInput(threadId: string) {
  return { threadId, runId: 'run', messages: [{ id: 'mine', role: 'user', content: 'Hello' }] }
}

function question(chatId: string) {
  return {
    id: chatId,
    messages: [{ id: 'question', role: 'user', parts: [{ type: 'text', text: 'Tell me.' }] }],
  }
}

function completion(chat_id: string) {
  return { model: 'assistant', messages: [{ role: 'user', content: 'Tell me.' }], metadata: { chat_id } }
}

function query(chatId: string) {
  return { message: 'Tell me.', session_id: chatId }
}

function routesOf({ store }: TestServer): readonly string[] {
  const logger = pino({ level: 'silent' })
  const { signal: closing } = new AbortController()
  const services = createServices({ store, agents: defaultAgents(), logger, heartbeatMs: 1_000 }, closing)
  const app = createApp(services, { hosts: [], tokens: new TokenTable(new Map()), isForAll: true }, [])
  return app.routes.filter(({ method }) => method !== 'ALL').map(({ method, path }) => `${method} ${path}`)
}
