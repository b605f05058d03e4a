import { type Channel, sign, webhookChannel } from '@throughline/channels'
import { isOwnerId } from '@throughline/protocol'
import { startWebhookReceiver } from '@throughline/testing/channels/webhook-receiver'
import { problemOf } from '@throughline/testing/http/chat-requests'
import { idOf } from '@throughline/testing/log/id-of'
import { ownerIdOf, startTestServer, type TestServerOptions } from '@throughline/testing/server/test-server'
import { describe, expect, test } from 'vitest'

const secret = 'sixteen or more characters'
const local = idOf(isOwnerId, 'local')
const message = { id: 'm1', conversation: 'room', sender: { id: 'ada' }, text: 'How is the weather?' }

/** A server with one channel, and a clock that can be moved. */
async function startHook(options: TestServerOptions & { readonly allowSenders?: readonly string[] } = {}) {
  const { allowSenders, ...serverOptions } = options
  const receiver = await startWebhookReceiver()
  let now = Date.now()
  const channel = webhookChannel({
    url: receiver.url,
    secret,
    now: () => new Date(now),
    ...(allowSenders && { allowSenders }),
  })
  const server = await startTestServer({
    channels: new Map([['hook', { channel, ownerId: local }]]),
    ...serverOptions,
  })
  const signatureOf = (body: Uint8Array) => sign(body, { secret, now: new Date(now) })
  return {
    server,
    receiver,
    pass: (ms: number) => {
      now += ms
    },
    signatureOf,
    post(body: Uint8Array, signature = signatureOf(body), name = 'hook') {
      return fetch(`${server.url}/api/channels/${name}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-throughline-signature': signature },
        body: Buffer.from(body),
      })
    },
    chats: () => server.store.chats.list(local, { limit: 10 }),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await receiver[Symbol.asyncDispose]()
    },
  }
}

function bytes(value: unknown): Uint8Array {
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value))
}

test('what is signed is taken: 202, and it will be answered', async () => {
  await using hook = await startHook()
  const response = await hook.post(bytes(message))
  expect(response.status).toBe(202)
  expect(await response.json()).toEqual({ accepted: 'm1' })
  await hook.receiver.until(shown => shown.length === 2)
})

describe('a wrong signature', () => {
  test.each([
    ['a whole message', bytes(message)],
    ['garbage', Buffer.from([0xff, 0x00, 0xfe, 0x7b])],
    ['nothing', Buffer.alloc(0)],
    ['JSON that nests without end', bytes('['.repeat(100_000))],
  ])('is refused before the body is read: %s', async (_, body) => {
    await using hook = await startHook()
    const wrong = sign(body, { secret: 'another secret altogether', now: new Date() })
    for (const signature of [wrong, '', 'v1=1', hook.signatureOf(bytes('something else'))]) {
      const response = await hook.post(body, signature)
      expect(response.status).toBe(401)
      expect(await response.json()).toMatchObject({ code: 'bad-signature' })
    }
    expect(await hook.chats()).toEqual([])
  })

  test('is one of another time, or one that is replayed later than five minutes', async () => {
    await using hook = await startHook()
    const signature = hook.signatureOf(bytes(message))
    expect((await hook.post(bytes(message), signature)).status).toBe(202)
    await hook.receiver.until(shown => shown.length === 2)
    // Soon after, it is the same message again, and answered already.
    hook.pass(299_000)
    expect((await hook.post(bytes(message), signature)).status).toBe(202)
    hook.pass(2_000)
    expect((await hook.post(bytes(message), signature)).status).toBe(401)
    hook.pass(-700_000)
    expect((await hook.post(bytes(message), signature)).status).toBe(401)
    expect(hook.receiver.requests).toHaveLength(2)
  })

  test('is one for another body, even by one byte', async () => {
    await using hook = await startHook()
    const signature = hook.signatureOf(bytes(message))
    expect((await hook.post(bytes({ ...message, text: 'How is the weather!' }), signature)).status).toBe(401)
  })
})

test.each(['nowhere', 'HOOK', 'hook%2f..', 'constructor', '__proto__'])(
  'a channel that is not there is not found: %s',
  async name => {
    await using hook = await startHook()
    const response = await hook.post(bytes(message), hook.signatureOf(bytes(message)), name)
    expect(await problemOf(response)).toMatchObject({ status: 404 })
  },
)

test('a channel that takes no requests is not found either', async () => {
  const channel: Channel = { kind: 'quiet', maxChars: 100, send: async () => 'sent' }
  await using hook = await startHook({ channels: new Map([['hook', { channel, ownerId: local }]]) })
  expect(await problemOf(await hook.post(bytes(message)))).toMatchObject({
    status: 404,
    code: 'channel-not-found',
  })
})

test('a body that is too large is refused, and without a signature it is not read at all', async () => {
  await using hook = await startHook()
  const large = bytes({ ...message, text: 'x'.repeat(1_100_000) })
  const signed = await hook.post(large, hook.signatureOf(large))
  expect(await problemOf(signed)).toMatchObject({ status: 413, code: 'body-too-large' })
  expect((await hook.post(large, 'none')).status).toBe(401)
})

test.each([
  [{ ...message, id: 'with a space' }, 'invalid-body'],
  [{ ...message, conversation: '../up' }, 'invalid-body'],
  [{ ...message, sender: { id: '' } }, 'invalid-body'],
  [{ ...message, text: ' ' }, 'empty-message'],
  [[], 'invalid-body'],
])('what is signed and makes no sense is a bad request: %#', async (body, code) => {
  await using hook = await startHook()
  const response = await hook.post(bytes(body))
  expect([response.status, (await response.json()).code]).toEqual([400, code])
  expect(await hook.chats()).toEqual([])
})

test('senders who are not on the list start nothing', async () => {
  await using hook = await startHook({ allowSenders: ['ada'] })
  const mallory = { ...message, sender: { id: 'mallory', name: 'ada' } }
  expect((await hook.post(bytes(mallory))).status).toBe(403)
  expect(await hook.chats()).toEqual([])
  expect((await hook.post(bytes(message))).status).toBe(202)
})

test('the same id with another text is a conflict, and the first stays', async () => {
  await using hook = await startHook()
  await hook.post(bytes(message))
  await hook.receiver.until(shown => shown.length === 2)
  const response = await hook.post(bytes({ ...message, text: 'Something else.' }))
  expect(await problemOf(response)).toMatchObject({ status: 409, code: 'message-id-taken' })
})

test('two conversations are two chats, and the same id in both is two messages', async () => {
  await using hook = await startHook()
  await Promise.all([hook.post(bytes(message)), hook.post(bytes({ ...message, conversation: 'other' }))])
  await hook.receiver.until(shown => shown.length === 4)
  expect((await hook.chats()).map(({ id }) => id).toSorted()).toEqual(['hook:other', 'hook:room'])
})

test('what a channel answers without a body has none, whatever its status', async () => {
  const channel: Channel = {
    kind: 'curt',
    maxChars: 100,
    send: async () => 'sent',
    hook: async () => ({ status: 204 }),
  }
  await using hook = await startHook({ channels: new Map([['hook', { channel, ownerId: local }]]) })
  const response = await hook.post(bytes(message))
  expect([response.status, await response.text()]).toEqual([204, ''])
})

test('with tokens, the platform needs none: its signature is enough, and its chats are its owner’s', async () => {
  const tokens = new Map(['local', 'bob'].map(name => [`token-${name}`, ownerIdOf(name)]))
  await using hook = await startHook({ tokens })
  expect((await hook.post(bytes(message))).status).toBe(202)
  const listed = async (name: string) => {
    const headers = { authorization: `Bearer token-${name}` }
    return (await (await fetch(`${hook.server.url}/api/chats`, { headers })).json()).chats.length
  }
  expect([await listed('local'), await listed('bob')]).toEqual([1, 0])
})
