import { isChatId, textOf } from '@throughline/protocol'
import type { Run } from '@throughline/store'
import { finish, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import { ask, loadChat, sendJson, submit } from '@throughline/testing/http/chat-requests'
import { SseBytes } from '@throughline/testing/http/sse-bytes'
import { idOf } from '@throughline/testing/log/id-of'
import {
  ownerIdOf,
  startTestServer,
  type TestServer,
  type TestServerOptions,
} from '@throughline/testing/server/test-server'
import { temporaryStores } from '@throughline/testing/store/temporary-store'
import { until } from '@throughline/testing/waits/until'
import { afterAll, describe, expect, test } from 'vitest'
import { attempts, definition, type Ids, routesOf, unknownIds } from './route-attempts.ts'

const secret = 'the harbour password'
const alice = bearer('alice')

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
      // Between the two answers, no run is unfinished either.
      const messages = async () =>
        (await fetch(`${server.url}/api/chats/harbour/messages`, { headers: alice })).json()
      await expect.poll(messages).toMatchObject({
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
