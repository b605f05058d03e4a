import { once } from 'node:events'
import { connect } from 'node:net'
import { telegramChannel, webhookChannel } from '@throughline/channels'
import { pictureBytes } from '@throughline/testing/browser/picture'
import { loadChat } from '@throughline/testing/http/chat-requests'
import { fileOf, messageWith } from '@throughline/testing/http/file-parts'
import { ownerIdOf, startTestServer } from '@throughline/testing/server/test-server'
import fc from 'fast-check'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { BodyBudget } from '../../src/http/request/body-budget.ts'
import { JsonMeter } from '../../src/http/request/read-body.ts'

const megabyte = 1024 * 1024
const server = await startTestServer()
afterAll(() => server[Symbol.asyncDispose]())

const post = (path: string, body: string) =>
  fetch(server.url + path, { method: 'POST', headers: { 'content-type': 'application/json' }, body })

describe('a body that would be expensive is never parsed:', () => {
  test.each([
    ['millions of values', `{"messages":[${'{},'.repeat(10_000_000)}{}]}`, 413, 'body-too-complex'],
    ['hundreds of thousands of values', `{"messages":[${'1,'.repeat(250_000)}1]}`, 413, 'body-too-complex'],
    ['many short texts', `{"messages":[${'"abc",'.repeat(5_000_000)}""]}`, 413, 'body-too-complex'],
    ['a number without end', `{"a":${'1'.repeat(31 * megabyte)}}`, 413, 'body-too-large'],
    ['deep lists', '['.repeat(31 * megabyte), 400, 'body-too-deep'],
  ])('%s', async (_, body, status, code) => {
    const parse = vi.spyOn(JSON, 'parse')
    try {
      const paths = ['/api/chat', '/ag-ui', '/v1/chat/completions', '/v1/responses']
      for (const path of paths) {
        const response = await post(path, body)
        expect(response.status).toBe(status)
        expect(await response.text()).toContain(code)
      }
      for (const [text] of parse.mock.calls) expect(text.length).toBeLessThan(1_000)
    } finally {
      parse.mockRestore()
    }
  })
})

test('files up to the limit are taken, also with quotes and backslashes beside them', async () => {
  const png = (size: number) =>
    fileOf('image/png', Buffer.concat([pictureBytes, Buffer.alloc(size - pictureBytes.length)]))
  const text = { type: 'text', text: `\\"${'\\'.repeat(7)}"[[[{{{,,,`.repeat(1_000) }
  const parts = [text, png(9 * megabyte), png(9 * megabyte + 1)]
  const response = await post('/api/chat', JSON.stringify({ id: 'files', messages: [messageWith(parts)] }))
  expect(response.status).toBe(200)
  await response.text()
  expect((await loadChat(server.url, 'files')).messages[0]?.parts).toHaveLength(3)
})

test('a body is measured the same, in whatever pieces it comes', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.array(fc.nat(200), { maxLength: 8 }), (value, cuts) => {
      const bytes = Buffer.from(JSON.stringify([value, '\\"', { 'a\\': ['"'] }]))
      const [whole, cut] = [new JsonMeter(), new JsonMeter()]
      expect(whole.read(bytes)).toBeUndefined()
      const ends = [...cuts, bytes.length].toSorted((one, other) => one - other)
      let start = 0
      for (const end of ends) {
        expect(cut.read(bytes.subarray(start, end))).toBeUndefined()
        start = end
      }
      const strings = JSON.stringify([value, '\\"', { 'a\\': ['"'] }]).match(/"(?:[^"\\]|\\.)*"/g) ?? []
      const inStrings = strings.reduce((sum, each) => sum + Buffer.byteLength(each), 0)
      // The quote with which a string begins counts as outside; the one with which it ends does not.
      expect(whole.bareBytes).toBe(bytes.length - inStrings)
      expect(cut.bareBytes).toBe(whole.bareBytes)
    }),
  )
})

test('bodies of all requests share one budget, small ones are always taken, and what is held is given back', () => {
  const budget = new BodyBudget({ maxBytes: 1_000, freeBytes: 100 })
  const first = budget.hold()
  first.add(60)
  first.add(1_040)
  {
    using second = budget.hold()
    second.add(100)
    expect(() => second.add(1)).toThrow(expect.objectContaining({ status: 503, code: 'server-busy' }))
  }
  first[Symbol.dispose]()
  first[Symbol.dispose]()
  using third = budget.hold()
  third.add(1_100)
})

describe('a request for a channel is refused before its body is read', () => {
  const secret = 'a-secret-of-16-chars'
  const ownerId = ownerIdOf('local')
  const telegram = telegramChannel({
    token: '123456:ABC-DEF1234ghIkl',
    allowUsers: [1],
    mode: { webhookSecret: secret },
  })
  const crm = webhookChannel({ url: 'https://crm.example', secret })
  const channels = new Map([
    ['telegram', { channel: telegram, ownerId }],
    ['crm', { channel: crm, ownerId }],
  ])

  test.each([
    ['when there is no such channel', 'nowhere', {}, 404],
    ['with a wrong secret of Telegram', 'telegram', { 'x-telegram-bot-api-secret-token': 'wrong' }, 401],
    ['without a signature', 'crm', {}, 401],
    ['with an old signature', 'crm', { 'x-throughline-signature': `t=1,v1=${'0'.repeat(64)}` }, 401],
  ])('%s', async (_, name, headers, status) => {
    await using guarded = await startTestServer({ channels })
    const { port } = new URL(guarded.url)
    const socket = connect(Number(port), '127.0.0.1')
    const lines = ['host: 127.0.0.1', 'content-type: application/json', 'content-length: 1000000']
    for (const [key, value] of Object.entries(headers)) lines.push(`${key}: ${value}`)
    // Only the first byte of the body is sent.
    socket.write(`POST /api/channels/${name} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n{`)
    const [answer] = await once(socket, 'data')
    expect(String(answer)).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    socket.destroy()
  })
})
