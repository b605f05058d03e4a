import { problemIn, RawConnection } from '@throughline/testing/http/raw-http'
import { startTestServer } from '@throughline/testing/server/test-server'
import fc from 'fast-check'
import { afterAll, afterEach, expect, test } from 'vitest'

const server = await startTestServer()
const { url } = server
const total = Number(process.env['BAD_INPUTS'] ?? 2_000)
const [many, fewer, few] = [Math.ceil(total * 0.3), Math.ceil(total * 0.15), Math.ceil(total * 0.1)]
afterAll(() => server[Symbol.asyncDispose]())

// Whatever a test has sent, the server still answers; what it had to say about it is its own matter.
afterEach(async () => {
  expect(await (await fetch(`${url}/health`)).json()).toEqual({ status: 'ok' })
  expect(await (await fetch(`${url}/api/chats`)).json()).toEqual({ chats: [] })
})

const bytes = fc.string({ unit: 'binary', maxLength: 40 })
const json = fc.json({ maxDepth: 3, stringUnit: 'binary' })
const junk = fc.oneof(
  bytes,
  fc.constantFrom('__proto__', 'constructor', '%00', '%ff', '%2e%2e', '\ud800', "' or 1=1"),
)
const notAnId = junk.filter(text => !/^[A-Za-z0-9_.:-]{1,128}$/.test(text))

test(`${many} bodies are refused, each with a reason`, async () => {
  const value = fc.oneof(junk, fc.constantFrom(null, true, 0, -1, 1e308), fc.array(junk, { maxLength: 3 }))
  const part = fc.oneof(value, fc.record({ type: junk, text: value }))
  const message = fc.record({
    id: value,
    role: fc.constantFrom('user', 'system', 'assistant'),
    parts: fc.array(part),
  })
  const chatBody = fc.record(
    {
      id: fc.oneof(value, fc.constant('new')),
      messages: fc.oneof(value, fc.array(message)),
      trigger: fc.oneof(value, fc.constantFrom('regenerate-message', 'submit-message')),
      messageId: value,
      agent: value,
      onBusy: value,
    },
    { requiredKeys: ['id'] },
  )
  const answerBody = fc.record(
    { messageId: value, expected_assistant_message_id: value, agent: value, onBusy: value },
    { requiredKeys: ['messageId'] },
  )
  const request = fc.oneof(
    fc.record({ path: fc.constantFrom('/api/chat', '/api/chats/new/messages'), body: fc.oneof(json, bytes) }),
    fc.record({ path: fc.constant('/api/chat'), body: chatBody.map(body => JSON.stringify(body)) }),
    fc.record({
      path: fc.constant('/api/chats/new/messages'),
      body: fc.record({ message, after: value, onBusy: value }).map(body => JSON.stringify(body)),
    }),
    fc.record({
      path: fc.constant('/api/chats/new/answers'),
      body: fc.oneof(
        json,
        answerBody.map(body => JSON.stringify(body)),
      ),
    }),
    fc.record({ path: fc.constant('/api/chats'), body: notAnId.map(id => JSON.stringify({ id })) }),
    fc.record({ path: fc.constant('/api/chats'), body: json.map(title => `{"title":[${title}]}`) }),
  )
  await sendAll(sample(request, many).map(({ path, body }) => postOf(path, body)))
})

test(`${many} paths and ids are refused, each with a reason`, async () => {
  const end = fc.constantFrom(
    ...[
      '',
      '/messages',
      '/messages?branch=%00',
      '/branches',
      '/queue',
      '/log',
      '/log?after=1',
      '/nowhere',
      '?after=%00',
    ],
  )
  const path = fc.oneof(
    fc.tuple(junk, end).map(([id, rest]) => `/api/chats/x${encoded(id)}${rest}`),
    // Without a position there is nothing to refuse: a chat that is not there has nothing to resume.
    fc.tuple(junk, end).map(([id, rest]) => `/api/chat/x${encoded(id)}/stream${rest || '?after=1'}`),
    junk.map(text => `/x${encoded(text)}`),
    fc
      .string({ unit: fc.constantFrom('/', '.', '%', '2', 'f', 'e', '\\', ';', 'x'), minLength: 1 })
      .map(text => `/x/${text}`),
  )
  await sendAll(sample(path, many).map(each => `GET ${each} HTTP/1.1\r\nhost: localhost\r\n\r\n`))
})

test(`${fewer} headers are refused, each with a reason`, async () => {
  const known = fc.constantFrom(
    'host',
    'origin',
    'content-length',
    'transfer-encoding',
    'expect',
    'upgrade',
    'connection',
    'last-event-id',
    'authorization',
    'content-type',
    'cookie',
    'te',
    'trailer',
    'x-forwarded-host',
  )
  const value = fc.oneof(
    bytes,
    fc.constantFrom('chunked', '100-continue', 'h2c', 'Upgrade', '-1', '1e3', '0x10', 'x'.repeat(20_000)),
  )
  const header = fc.tuple(fc.oneof(known, bytes), value).map(([name, text]) => `${name}: ${text}`)
  const request = fc.tuple(
    fc.constantFrom('GET', 'POST', 'DELETE'),
    fc.array(header, { minLength: 1, maxLength: 4 }),
  )
  const requests = sample(request, fewer).map(
    ([method, headers]) =>
      `${method} /api/chats/nowhere HTTP/1.1\r\nhost: localhost\r\n${headers.join('\r\n')}\r\n\r\n`,
  )
  await Promise.all(shares(requests).map(share => sendAlone(share)))
})

test(`${few} methods are refused, each with a reason`, async () => {
  const method = fc.oneof(
    fc.constantFrom(
      'PUT',
      'OPTIONS',
      'TRACE',
      'CONNECT',
      'PROPFIND',
      'QUERY',
      'M-SEARCH',
      'get',
      'PRI',
      'DELETE',
      'POST',
    ),
    fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 12 }),
  )
  const target = fc.constantFrom(
    '/api/chats/nowhere',
    '/nowhere',
    '*',
    'localhost:80',
    'http://localhost/nowhere',
    'http://evil.example/',
  )
  const requests = sample(fc.tuple(method, target), few).map(
    ([name, path]) => `${name} ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`,
  )
  await Promise.all(shares(requests).map(share => sendAlone(share)))
})

test(`${fewer} strings of bytes are refused or hung up on`, async () => {
  const lines = fc.array(
    fc.constantFrom(
      'GET / HTTP/1.1',
      'host: localhost',
      'POST /api/chat HTTP/1.1',
      'content-length: 5',
      ' folded',
      ':',
      '',
      '0',
      'transfer-encoding: chunked',
      'HTTP/1.1 200 OK',
      'GET /nowhere HTTP/9.9',
      'PRI * HTTP/2.0',
    ),
    { minLength: 1, maxLength: 8 },
  )
  const raw = fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 200 }),
    fc
      .tuple(lines, fc.constantFrom('\r\n', '\n', '\r'))
      .map(([each, lineEnd]) => Buffer.from(each.join(lineEnd))),
    bytes.map(text => Buffer.from(`\x16\x03\x01${text}`)),
  )
  await Promise.all(shares(sample(raw, fewer)).map(share => sendRaw(share)))
})

function sample<T>(arbitrary: fc.Arbitrary<T>, numRuns: number): readonly T[] {
  return fc.sample(arbitrary, { numRuns, seed: 20261115 })
}

/** Eight parts, to be worked on side by side. */
function shares<T>(all: readonly T[]): readonly (readonly T[])[] {
  return Array.from({ length: 8 }, (_, share) => all.filter((_item, index) => index % 8 === share))
}

function postOf(path: string, body: string): string {
  const length = Buffer.byteLength(body)
  return `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n${body}`
}

/** Over few connections, one request after the other. */
async function sendAll(requests: readonly string[]): Promise<void> {
  await Promise.all(
    shares(requests).map(async share => {
      let connection = new RawConnection(url)
      for (const request of share) {
        connection.send(request)
        const response = await connection.response()
        problemIn(response, request)
        if (response?.headers.get('connection') !== 'close') continue
        await connection[Symbol.asyncDispose]()
        connection = new RawConnection(url)
      }
      await connection[Symbol.asyncDispose]()
    }),
  )
}

/** Each over a connection of its own, for requests that may confuse what follows them. */
async function sendAlone(requests: readonly string[]): Promise<void> {
  for (const request of requests) {
    await using connection = new RawConnection(url)
    connection.send(request)
    problemIn(await connection.response(), request)
  }
}

async function sendRaw(all: readonly Uint8Array[]): Promise<void> {
  for (const raw of all) {
    await using connection = new RawConnection(url)
    connection.send(raw)
    const answer = (await connection.finish()).toString()
    const context = JSON.stringify(Buffer.from(raw).toString('latin1'))
    expect(answer, context).toMatch(/^$|^HTTP\/1\.1 (100 Continue\r\n\r\nHTTP\/1\.1 )?4\d\d /)
    if (answer !== '') expect(answer, context).toContain('application/problem+json')
  }
}

// As a client would write it, except that a half of a character has no such form.
function encoded(text: string): string {
  return text.isWellFormed() ? encodeURIComponent(text) : '%ed%a0%80'
}
