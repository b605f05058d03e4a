import { ask, problemOf, sendJson } from '@throughline/testing/http/chat-requests'
import { SseBytes } from '@throughline/testing/http/sse-bytes'
import { startTestServer } from '@throughline/testing/server/test-server'
import { afterAll, describe, expect, test } from 'vitest'

const origin = 'https://app.example'
const server = await startTestServer({ origins: [origin, 'http://localhost:5173'] })
afterAll(() => server[Symbol.asyncDispose]())

const foreign = ['https://evil.example', 'https://app.example:8443', 'http://app.example', 'null']

describe('a page of a listed origin', () => {
  test.each([
    ['a response', () => fetch(`${server.url}/api/chats`, { headers: { origin } })],
    ['a problem', () => fetch(`${server.url}/api/chats/nowhere`, { headers: { origin } })],
    ['a refused body', () => sendJson(`${server.url}/api/chat`, {}, { headers: { origin } })],
    ['an unknown route', () => fetch(`${server.url}/nowhere`, { headers: { origin } })],
  ])('may read %s', async (_, send) => {
    const response = await send()
    expect(corsOf(response)).toEqual(readable)
    await response.text()
  })

  test('may read the stream that its message starts, and the headers that clients need', async () => {
    const response = await ask(server.url, { headers: { origin } })
    expect(corsOf(response)).toEqual(readable)
    const exposed = response.headers.get('access-control-expose-headers')?.split(', ') ?? []
    expect(exposed).toContain('x-vercel-ai-ui-message-stream')
    expect(exposed).toContain('x-request-id')
    // Without these WorkflowChatTransport cannot come back.
    expect(exposed).toContain('x-workflow-run-id')
    expect(exposed).toContain('x-workflow-stream-tail-index')
    expect(await response.text()).toContain('[DONE]')
  })

  test('may follow a log', async () => {
    await sendJson(`${server.url}/api/chats`, { id: 'followed' })
    const response = await fetch(`${server.url}/api/chats/followed/log`, { headers: { origin } })
    await using _log = new SseBytes(response)
    expect(corsOf(response)).toEqual(readable)
  })

  test('is told by a preflight which methods and headers there are', async () => {
    const response = await preflight(origin, { method: 'DELETE', headers: 'authorization, x-csrf-token' })
    expect(response.status).toBe(204)
    expect(corsOf(response)).toMatchObject({ origin, credentials: 'true' })
    expect(response.headers.get('access-control-max-age')).toBe('600')
    expect(listIn(response, 'access-control-allow-methods').toSorted()).toEqual([
      'DELETE',
      'GET',
      'PATCH',
      'POST',
      'PUT',
    ])
    expect(listIn(response, 'access-control-allow-headers')).toEqual([
      'authorization',
      'content-type',
      'last-event-id',
      'user-agent',
      'x-csrf-token',
    ])
    expect(listIn(response, 'vary')).toContain('Origin')
  })

  test.each(['cookie', '*', 'x-evil:1', 'sec-fetch-site'])(
    'is not permitted to send the header %j',
    async headers => {
      const response = await preflight(origin, { method: 'POST', headers })
      expect(listIn(response, 'access-control-allow-headers')).not.toContain(headers)
    },
  )

  test('needs JSON like every other page', async () => {
    const headers = { origin, 'content-type': 'text/plain' }
    const response = await sendJson(`${server.url}/api/chats`, {}, { headers })
    expect(await problemOf(response)).toMatchObject({ status: 415, code: 'json-required' })
  })
})

describe.each(foreign)('a page of %s', other => {
  test('is refused, and may not read why', async () => {
    const response = await ask(server.url, { chatId: 'foreign', headers: { origin: other } })
    expect(corsOf(response)).toEqual({ origin: null, credentials: null, vary: 'Origin' })
    expect(await problemOf(response)).toMatchObject({ status: 403, code: 'foreign-origin' })
    expect((await fetch(`${server.url}/api/chats/foreign`)).status).toBe(404)
  })

  test('is refused by the preflight', async () => {
    const response = await preflight(other, { method: 'POST', headers: 'content-type' })
    expect(response.status).toBe(403)
    expect(corsOf(response)).toMatchObject({ origin: null, credentials: null })
    expect(response.headers.get('access-control-allow-methods')).toBeNull()
  })
})

test('a response without an Origin says that it depends on it, so that no cache mixes pages up', async () => {
  const response = await fetch(`${server.url}/health`)
  expect(corsOf(response)).toEqual({ origin: null, credentials: null, vary: 'Origin' })
})

test('a server without a list sends no such headers, and refuses every preflight', async () => {
  await using plain = await startTestServer()
  const response = await fetch(`${plain.url}/health`)
  expect(corsOf(response)).toEqual({ origin: null, credentials: null, vary: null })
  const asked = { origin, 'access-control-request-method': 'POST' }
  expect((await fetch(`${plain.url}/api/chats`, { method: 'OPTIONS', headers: asked })).status).toBe(403)
})

test.each([
  ['https://app.example/', 'Write "https://app.example".'],
  ['https://app.example/chat', 'Write "https://app.example".'],
  ['https://app.example:443', 'Write "https://app.example".'],
  ['HTTPS://App.Example', 'Write "https://app.example".'],
  ['https://ada@app.example', 'Write "https://app.example".'],
  ['app.example', 'has no scheme. Write "https://app.example" or "http://app.example".'],
  ['localhost:5173', 'has no scheme. Write "https://localhost:5173" or "http://localhost:5173".'],
  ['*', 'Name every origin by itself'],
  ['https://*.example', 'Name every origin by itself'],
  ['null', 'Serve the page from an address'],
  ['ftp://app.example', 'Write a scheme and a host'],
  ['https://', 'Write a scheme and a host'],
  ['', 'Write a scheme and a host'],
])('a server with the origin %j does not start, and says what to write', async (wrong, expected) => {
  await expect(startTestServer({ origins: [wrong] })).rejects.toThrow(expected)
  await expect(startTestServer({ origins: [wrong] })).rejects.toMatchObject({ code: 'origins' })
})

const readable = { origin, credentials: 'true', vary: 'Origin' }

function corsOf({ headers }: Response) {
  return {
    origin: headers.get('access-control-allow-origin'),
    credentials: headers.get('access-control-allow-credentials'),
    vary: headers.get('vary'),
  }
}

function preflight(from: string, asked: { readonly method: string; readonly headers: string }) {
  return fetch(`${server.url}/api/chats/chat`, {
    method: 'OPTIONS',
    headers: {
      origin: from,
      'access-control-request-method': asked.method,
      'access-control-request-headers': asked.headers,
    },
  })
}

function listIn({ headers }: Response, name: string): readonly string[] {
  return headers.get(name)?.split(', ') ?? []
}
