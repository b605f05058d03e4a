import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { ask, problemOf, sendJson } from '@throughline/testing/http/chat-requests'
import { ownerIdOf, startTestServer } from '@throughline/testing/server/test-server'
import { afterAll, expect, test } from 'vitest'

// Nothing here changes it, so one server is enough.
const server = await startTestServer()
afterAll(() => server[Symbol.asyncDispose]())

const streams = ['/health', '/api/chats', '/api/chat/chat/stream', '/api/chats/chat/log']

test.each(streams)('%s is refused under a foreign host name', async path => {
  const answer = await getWith(server.url + path, { host: 'evil.example' })
  expect(answer).toMatchObject({ status: 421, body: { code: 'wrong-host' } })
})

test.each(['localhost', '127.0.0.1:1', '[::1]', 'LOCALHOST:4000'])('the server answers as %s', async host => {
  expect(await getWith(`${server.url}/health`, { host })).toMatchObject({ status: 200 })
})

test('the server answers under the names it was given', async () => {
  await using named = await startTestServer({ hosts: ['Chat.Example'] })
  expect(await getWith(`${named.url}/health`, { host: 'chat.example:80' })).toMatchObject({ status: 200 })
})

test.each([
  'localhost.evil.example',
  '127.0.0.1.evil.example',
  'evil.example:127.0.0.1',
  '127.0.0.1@evil.example',
])('the host %j is foreign', async host => {
  const { status } = await getWith(`${server.url}/health`, { host })
  expect([400, 421]).toContain(status)
})

test.each(streams)('%s is refused to a page of another origin', async path => {
  const response = await fetch(server.url + path, { headers: { origin: 'https://evil.example' } })
  expect(await problemOf(response)).toMatchObject({ status: 403, code: 'foreign-origin' })
})

test.each(['null', 'http://localhost:1', 'https://evil.example'])(
  'a POST from the origin %s is refused',
  async origin => {
    const response = await ask(server.url, { headers: { origin } })
    expect(await problemOf(response)).toMatchObject({ status: 403, code: 'foreign-origin' })
    expect(await server.store.chats.list(ownerIdOf('local'), { limit: 1 })).toEqual([])
  },
)

test("the server's own page may ask", async () => {
  const response = await ask(server.url, { headers: { origin: server.url } })
  expect(response.status).toBe(200)
  await response.text()
})

test.each([
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  'application/jsonp',
  '',
])('a body of the type %j is refused, so a simple form of another page can do nothing', async type => {
  const response = await sendJson(`${server.url}/api/chats`, {}, { headers: { 'content-type': type } })
  expect(await problemOf(response)).toMatchObject({ status: 415, code: 'json-required' })
})

test('a POST without a body and without its type needs a token, which no form can send', async () => {
  const statusOf = async (headers: Readonly<Record<string, string>>) =>
    (await fetch(`${server.url}/v1/responses/run_1/cancel`, { method: 'POST', headers })).status
  expect(await statusOf({})).toBe(415)
  expect(await statusOf({ authorization: 'Basic YTpi' })).toBe(415)
  expect(await statusOf({ authorization: 'Bearer any', 'content-type': 'text/plain' })).toBe(415)
  expect(await statusOf({ authorization: 'Bearer any' })).toBe(404)
  expect(await statusOf({ authorization: 'Bearer any', origin: 'https://evil.example' })).toBe(403)
})

test.each(['0.0.0.0', '::', '192.168.0.1', 'localhost.evil.example', '127.0.0.1.evil.example'])(
  'without tokens the server does not start on %s',
  async host => {
    await expect(startTestServer({ host })).rejects.toThrow(`${host} lets others in`)
  },
)

test('with tokens the server starts on every address', async () => {
  const tokens = new Map([['a-token-of-16-chars', ownerIdOf('alice')]])
  await using open = await startTestServer({ host: '0.0.0.0', tokens })
  const { port } = new URL(open.url)
  const { status } = await fetch(`http://127.0.0.1:${port}/api/chats`)
  expect(status).toBe(401)
})

test('a public route needs no token', async () => {
  const tokens = new Map([['a-token-of-16-chars', ownerIdOf('alice')]])
  await using closed = await startTestServer({ tokens })
  expect(await (await fetch(`${closed.url}/health`)).json()).toEqual({ status: 'ok' })
})

// `fetch` sets the Host header itself.
async function getWith(url: string, headers: Readonly<Record<string, string>>) {
  return new Promise<{ status: number | undefined; body: unknown }>((resolve, reject) => {
    request(url, { headers, agent: false }, async response => {
      const body = await text(response)
      resolve({ status: response.statusCode, body: body === '' ? undefined : JSON.parse(body) })
    })
      .on('error', reject)
      .end()
  })
}
