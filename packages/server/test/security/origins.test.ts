import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { ownerIdOf, startTestServer } from '@throughline/testing/server/test-server'
import { afterAll, describe, expect, test } from 'vitest'

// One server for all tests here: each test only asks whether it is let in.
const server = await startTestServer({ hosts: ['Chat.Example'] })
afterAll(() => server[Symbol.asyncDispose]())

const port = new URL(server.url).port
const sameOrigin = { 'sec-fetch-site': 'same-origin' }
const sameSite = { 'sec-fetch-site': 'same-site' }

describe('a page of this machine that asks through a proxy of its own origin', () => {
  test.each([
    'http://localhost:5173',
    'http://127.0.0.1:5173',
    'http://127.3.2.1:5173',
    'http://[::1]:5173',
    'https://localhost:3000',
    'http://localhost',
  ])('may post from %s', async origin => {
    expect(await post({ origin, ...sameOrigin })).toMatchObject({ status: 201 })
  })

  test('may read', async () => {
    expect(await get({ origin: 'http://localhost:5173', ...sameOrigin })).toMatchObject({ status: 200 })
  })

  test('may post whatever loopback name the proxy uses for the server', async () => {
    for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`])
      expect(await post({ host, origin: 'http://localhost:5173', ...sameOrigin })).toMatchObject({
        status: 201,
      })
  })

  test('may not use a server under another name than a loopback name', async () => {
    expect(
      await post({ host: 'chat.example', origin: 'http://localhost:5173', ...sameOrigin }),
    ).toMatchObject(refused)
  })
})

describe('a page of this machine that asks from another port', () => {
  const origin = 'http://localhost:5173'

  test('may post JSON, which no browser sends unless somebody in between has allowed it', async () => {
    expect(await post({ origin, ...sameSite })).toMatchObject({ status: 201 })
  })

  test('may delete, for which the same is true', async () => {
    expect(await send('DELETE', '/api/chats/none', { origin, ...sameSite })).toMatchObject({
      body: { code: 'chat-not-found' },
    })
  })

  test.each(['text/plain', 'application/x-www-form-urlencoded', ''])(
    'may not post the type %j, which every browser sends without a question',
    async type => {
      expect(await post({ origin, 'content-type': type, ...sameSite })).toMatchObject(refused)
    },
  )

  test.each(['/api/chats', '/api/chat/chat/stream', '/api/chats/chat/log', '/health'])(
    'may not read %s',
    async path => {
      expect(await send('GET', path, { origin, ...sameSite })).toMatchObject(refused)
      expect(await send('HEAD', path, { origin, ...sameSite })).toMatchObject({ status: 403 })
    },
  )
})

describe('what a browser does not vouch for', () => {
  test.each(['cross-site', 'none', 'same-origin, cross-site', ''])(
    'a post from localhost that says %j is refused',
    async site => {
      expect(await post({ origin: 'http://localhost:5173', 'sec-fetch-site': site })).toMatchObject(refused)
    },
  )

  test('a post from localhost that does not say where it is from is refused', async () => {
    expect(await post({ origin: 'http://localhost:5173' })).toMatchObject(refused)
  })

  test.each([
    'null',
    'https://evil.example',
    'http://localhost.evil.example:5173',
    'http://127.0.0.1.evil.example',
    'http://evil.example@localhost:5173',
    'http://localhost:5173/',
    'http://localhost:5173@evil.example',
    'chrome-extension://localhost',
    'file://localhost',
    'localhost:5173',
    'http://0.0.0.0:5173',
    'http://192.168.0.1:5173',
    'http://2130706433.evil.example',
  ])('the origin %s is foreign, whatever it says of itself', async origin => {
    for (const site of [sameOrigin, sameSite]) expect(await post({ origin, ...site })).toMatchObject(refused)
  })

  test('nothing was written for any of them', async () => {
    const before = await server.store.chats.list(ownerIdOf('local'), { limit: 500 })
    await post({ origin: 'https://evil.example', ...sameOrigin })
    expect(await server.store.chats.list(ownerIdOf('local'), { limit: 500 })).toEqual(before)
  })
})

describe('a proxy that changes the Host, such as nginx by default', () => {
  test('lets pages of a name in, when the server was given the name', async () => {
    expect(await post({ origin: 'https://chat.example', ...sameOrigin })).toMatchObject({ status: 201 })
    expect(await post({ origin: 'https://chat.example:8443', ...sameOrigin })).toMatchObject({ status: 201 })
  })

  test('does not let a page in that has the name and asks somebody else', async () => {
    expect(await post({ origin: 'https://chat.example', 'sec-fetch-site': 'cross-site' })).toMatchObject(
      refused,
    )
  })

  test('is told what to set when the name is unknown', async () => {
    expect(await post({ origin: 'https://other.example', ...sameOrigin })).toMatchObject({
      body: { detail: expect.stringContaining('THROUGHLINE_HOSTS') },
    })
  })
})

describe('what a foreign page asks without an Origin, such as an image', () => {
  test.each(['/api/chats', '/api/chat/chat/stream', '/api/chats/chat/log', '/health'])(
    '%s is refused',
    async path => {
      for (const site of ['cross-site', 'same-site']) {
        const foreign = { 'sec-fetch-site': site, 'sec-fetch-mode': 'no-cors' }
        expect(await send('GET', path, foreign)).toMatchObject(refused)
      }
    },
  )

  test('a link on a foreign page may be followed', async () => {
    expect(await get({ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' })).toMatchObject({
      status: 200,
    })
  })
})

const refused = { status: 403, body: { code: 'foreign-origin' } }

function post(headers: Readonly<Record<string, string>>) {
  return send('POST', '/api/chats', { 'content-type': 'application/json', ...headers })
}

function get(headers: Readonly<Record<string, string>>) {
  return send('GET', '/api/chats', headers)
}

// `fetch` sets Host and the headers of the browser itself.
async function send(method: string, path: string, headers: Readonly<Record<string, string>>) {
  return new Promise<{ status: number | undefined; body: unknown }>((resolve, reject) => {
    request(server.url + path, { method, headers, agent: false }, async response => {
      const said = await text(response)
      resolve({ status: response.statusCode, body: said === '' ? undefined : JSON.parse(said) })
    })
      .on('error', reject)
      .end(method === 'POST' ? '{}' : undefined)
  })
}
