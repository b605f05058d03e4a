import { once } from 'node:events'
import { ProblemError } from '@throughline/protocol'
import { ask, type loadChat, problemOf, sendJson, submit } from '@throughline/testing/http/chat-requests'
import { ownerIdOf, startTestServer } from '@throughline/testing/server/test-server'
import { pino } from 'pino'
import { afterAll, describe, expect, test } from 'vitest'
import type { Authenticate } from '../../src/http/sign-in/identity.ts'

/** An application whose session cookie has the name of the person. */
const bySession: Authenticate = async request => {
  const [, ownerId] = /\bsession=(\w+)/.exec(request.headers.get('cookie') ?? '') ?? []
  return ownerId === undefined ? undefined : { ownerId, displayName: `Dr ${ownerId}` }
}

const server = await startTestServer({ authenticate: bySession })
afterAll(() => server[Symbol.asyncDispose]())

const ada = { cookie: 'theme=dark; session=ada' }
const bob = { cookie: 'session=bob' }

test('the sessions of the application decide whose chats somebody sees', async () => {
  await (await ask(server.url, { chatId: 'hers', headers: ada })).text()
  expect(await chatsOf(ada)).toEqual(['hers'])
  expect(await chatsOf(bob)).toEqual([])
  const response = await fetch(`${server.url}/api/chats/hers/messages`, { headers: bob })
  expect(await problemOf(response)).toMatchObject({ status: 404, code: 'chat-not-found' })
})

test('nobody without a session is let in, not even as the local owner', async () => {
  for (const headers of [{}, { cookie: 'session=' }, { authorization: 'Bearer of-nobody-in-particular' }]) {
    const response = await ask(server.url, { headers })
    expect(await problemOf(response)).toMatchObject({ status: 401, code: 'sign-in-required' })
  }
  expect(await server.store.chats.list(ownerIdOf('local'), { limit: 1 })).toEqual([])
})

test('no cache that people share keeps what one of them reads', async () => {
  await (await ask(server.url, { chatId: 'kept', headers: ada })).text()
  const cacheOf = async (path: string, headers: Readonly<Record<string, string>>) => {
    const response = await fetch(server.url + path, { headers })
    await response.text()
    return response.headers.get('cache-control')
  }
  for (const path of [
    '/api/chats',
    '/api/chats/kept',
    '/api/chats/kept/messages',
    '/api/agents',
    '/sessions',
  ])
    expect(await cacheOf(path, ada)).toBe('private, no-cache')
  expect(await cacheOf('/api/chats', {})).toBe('no-store')
})

test('routes for everybody do not ask who it is', async () => {
  expect(await (await fetch(`${server.url}/health`)).json()).toEqual({ status: 'ok' })
})

test('with authenticate a server may listen on every address without tokens', async () => {
  await using open = await startTestServer({ host: '0.0.0.0', authenticate: bySession })
  const { port } = new URL(open.url)
  expect((await fetch(`http://127.0.0.1:${port}/api/chats`)).status).toBe(401)
})

test('a known token works beside the sessions, and the application is not asked', async () => {
  const asked: string[] = []
  const authenticate: Authenticate = ({ url }) => void asked.push(url)
  const tokens = new Map([['a-token-of-16-chars', ownerIdOf('script')]])
  await using both = await startTestServer({ tokens, authenticate })
  const chats = (token: string) =>
    fetch(`${both.url}/api/chats`, { headers: { authorization: `Bearer ${token}` } })
  expect((await chats('a-token-of-16-chars')).status).toBe(200)
  expect(asked).toEqual([])
  expect((await chats('another-token-of-16')).status).toBe(401)
  expect(asked).toEqual([`${both.url}/api/chats`])
})

test('the application gets address, method and headers, and the body stays for the route', async () => {
  const seen: unknown[] = []
  const authenticate: Authenticate = async request => {
    seen.push([request.method, request.url, request.headers.get('x-tenant'), await request.text()])
    return { ownerId: 'ada' }
  }
  await using open = await startTestServer({ authenticate })
  const url = `${open.url}/api/chats?a=b`
  const made = await sendJson(url, { id: 'mine' }, { headers: { 'x-tenant': 'blue' } })
  expect(await made.json()).toMatchObject({ id: 'mine' })
  expect(seen).toEqual([['POST', url, 'blue', '']])
})

describe('the name of a message’s sender', () => {
  test('is the displayName when the request gives none', async () => {
    await (await ask(server.url, { chatId: 'named', headers: ada })).text()
    expect(await namesIn('named', ada)).toEqual(['Dr ada', 'Dr ada'])
  })

  test('is the one in the request when there is one', async () => {
    const message = { id: 'm', role: 'user', parts: [{ type: 'text', text: 'Hi' }] }
    const fields = { message: { ...message, metadata: { senderName: 'Ada L.' } } }
    expect((await submit(server.url, { chatId: 'own-name', headers: ada, fields })).status).toBe(202)
    expect((await namesIn('own-name', ada))[0]).toBe('Ada L.')
  })

  async function namesIn(chatId: string, headers: Readonly<Record<string, string>>) {
    const response = await fetch(`${server.url}/api/chats/${chatId}/messages`, { headers })
    const { messages }: Awaited<ReturnType<typeof loadChat>> = await response.json()
    return messages.map(({ role, metadata }) =>
      role === 'user' ? metadata?.senderName : metadata?.receiverName,
    )
  }
})

describe('what fails in the application is told in the log only', () => {
  const secret = 'the session store at 10.0.0.7 is down'

  test.each([
    ['an error', () => Promise.reject(new Error(secret))],
    ['an error at once', () => raise(new Error(secret))],
    ['a problem', () => raise(new ProblemError(404, 'chat-not-found', secret))],
    ['a text', () => raise(secret)],
  ])('when it throws %s', async (_, authenticate) => {
    await using failing = await startLogged(authenticate)
    const response = await fetch(`${failing.url}/api/chats`)
    const problem = await problemOf(response)
    expect(problem).toMatchObject({ status: 500, code: 'internal' })
    expect(JSON.stringify(problem)).not.toContain('10.0.0.7')
    expect(failing.log()).toContain('"type":"AuthenticateError","message":"authenticate failed with ')
    expect(failing.log()).toContain(String(problem['requestId']))
    expect((await fetch(`${failing.url}/health`)).status).toBe(200)
  })

  test.each([
    [
      'its kind and code',
      Object.assign(new RangeError(secret), { code: 'ECONNREFUSED' }),
      'RangeError ECONNREFUSED at ',
    ],
    [
      'no name or code that is none',
      Object.assign(new Error(secret), { name: secret, code: secret }),
      'an Error at ',
    ],
    ['no lines of its message', new Error(`${secret}\n    at ${secret}`), 'Error at '],
    ['no text that it throws', secret, 'a value that is no Error (string).'],
  ])('the log has %s, and never the message', async (_, error, expected) => {
    await using failing = await startLogged(() => raise(error))
    await fetch(`${failing.url}/api/chats`)
    expect(failing.log()).toContain(`authenticate failed with ${expected}`)
    expect(failing.log()).not.toContain('10.0.0.7')
  })

  test.each([
    [{ ownerId: 'ada@example.com' }, `${wrongIn('ownerId')}: it is not allowed. An id has`],
    [{ ownerId: '' }, wrongIn('ownerId')],
    [{ ownerId: 7 }, wrongIn('ownerId')],
    [{ ownerId: '..' }, wrongIn('ownerId')],
    [{}, wrongIn('ownerId')],
    ['ada', 'authenticate returned a wrong identity: '],
    [true, 'authenticate returned a wrong identity: '],
    [{ ownerId: 'ada', tool: ['time'] }, 'Unrecognized key'],
    [{ ownerId: 'ada', tools: 'time' }, wrongIn('tools')],
    [{ ownerId: 'ada', tools: [1] }, wrongIn('tools.0')],
    [{ ownerId: 'ada', roles: 'admin' }, wrongIn('roles')],
    [{ ownerId: 'ada', displayName: 7 }, wrongIn('displayName')],
  ])('when it returns %j', async (identity, expected) => {
    // As an application without types would return it.
    await using failing = await startLogged(() => JSON.parse(JSON.stringify(identity)))
    expect(await problemOf(await fetch(`${failing.url}/api/chats`))).toMatchObject({ status: 500 })
    expect(failing.log()).toContain('"type":"AuthenticateError"')
    expect(failing.log()).toContain(expected)
  })
})

test('when it takes too long, the client is told to come back, and the application to give up', async () => {
  const aborted = Promise.withResolvers<void>()
  await using slow = await startTestServer({
    authenticateMs: 100,
    authenticate({ signal }) {
      signal.addEventListener('abort', () => aborted.resolve())
      return new Promise(() => undefined)
    },
  })
  const response = await fetch(`${slow.url}/api/chats`)
  expect(response.headers.get('retry-after')).toBe('5')
  expect(await problemOf(response)).toMatchObject({ status: 503, code: 'sign-in-timeout' })
  await aborted.promise
})

test('when the client leaves, the application is told to give up', async () => {
  const asked = Promise.withResolvers<AbortSignal>()
  await using slow = await startTestServer({
    authenticate({ signal }) {
      asked.resolve(signal)
      return new Promise(() => undefined)
    },
  })
  const left = new AbortController()
  const response = fetch(`${slow.url}/api/chats`, { signal: left.signal })
  const signal = await asked.promise
  const aborted = once(signal, 'abort')
  left.abort()
  await expect(response).rejects.toThrow()
  await aborted
})

test('null means nobody, as undefined does', async () => {
  await using closed = await startTestServer({ authenticate: () => JSON.parse('null') })
  expect((await fetch(`${closed.url}/api/chats`)).status).toBe(401)
})

/** As it stands in a line of JSON. */
function wrongIn(field: string): string {
  return `authenticate returned a wrong identity in \\"${field}\\"`
}

async function startLogged(authenticate: Authenticate) {
  const lines: string[] = []
  const logger = pino({ level: 'info' }, { write: line => void lines.push(line) })
  const started = await startTestServer({ authenticate, logger })
  return { ...started, log: () => lines.join('') }
}

function raise(error: unknown): never {
  throw error
}

async function chatsOf(headers: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const { chats } = await (await fetch(`${server.url}/api/chats`, { headers })).json()
  return chats.map(({ id }: { readonly id: string }) => id)
}
