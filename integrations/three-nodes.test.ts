import { readFile } from 'node:fs/promises'
import { startServer } from '@throughline/server/start-server'
import { heldAgent, say } from '@throughline/testing/agent/scripted-agent'
import { userMessage } from '@throughline/testing/http/chat-requests'
import { freePort } from '@throughline/testing/server/free-port'
import { temporaryStore } from '@throughline/testing/store/temporary-store'
import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { type Http2Client, http2Client } from './proxies/http2-client.ts'
import { startCaddy } from './proxies/start-caddy.ts'
import { type ProxyOptions, startNginx } from './proxies/start-nginx.ts'

const documents = new URL('../docs/deploy/', import.meta.url)
const nginx = await readFile(new URL('nginx.conf', documents), 'utf8')
const caddy = await readFile(new URL('Caddyfile', documents), 'utf8')

describe.each([
  ['nginx', startNginx, nginx],
  ['Caddy', startCaddy, caddy],
])('three nodes behind %s, as docs/deploy configures it', (_, start, config) => {
  test('every node takes requests, and none of them needs to be the one before', async () => {
    await using world = await openWorld(start, config)
    const { client, nodes } = world
    await world.ask('chat')
    for (let count = 0; count < 60; count += 1) {
      const response = await client.get('/api/chats/chat/messages')
      expect(response.status).toBe(200)
      expect(await response.text()).toContain('"question"')
    }
    for (const node of nodes) expect(node.requestCount()).toBeGreaterThan(0)
  })

  test('an answer arrives as it is written, and an idle stream has heartbeats', async () => {
    await using world = await openWorld(start, config)
    await using stream = await world.ask('chat')
    await stream.until('Well,')
    await stream.until('\n:', 3)
    world.letGo()
    await stream.until(' yes.')
    await stream.until('[DONE]')
  })

  test('a message with 13 MB of files gets through', async () => {
    await using world = await openWorld(start, config)
    const url = `data:text/plain;base64,${Buffer.alloc(1_000_000, 'x').toString('base64')}`
    const file = { type: 'file', mediaType: 'text/plain', filename: 'x.txt', url }
    const parts = [{ type: 'text', text: 'Is it?' }, ...Array.from({ length: 10 }, () => file)]
    const message = { ...userMessage(), parts }
    const response = await world.client.post('/api/chats/files/messages', { message })
    // Not 413 of the proxy: the response is the server's own.
    expect([response.status, await response.text()]).toEqual([202, expect.stringContaining('"runId"')])
  })

  test('while one node after the other is taken down and comes back, every request is answered', async () => {
    await using world = await openWorld(start, config)
    await world.ask('chat')
    for (const node of world.nodes) {
      await node.stop()
      for (let count = 0; count < 20; count += 1)
        expect((await world.client.get('/api/chats/chat/messages')).status).toBe(200)
      const sent = await world.client.post(`/api/chats/after-${node.index}/messages`, {
        message: userMessage(),
      })
      expect(sent.status).toBe(202)
      await node.restart()
      // The next node goes down when this one is used again, as in a rolling upgrade.
      const before = node.requestCount()
      await expect
        .poll(async () => {
          expect((await world.client.get('/api/chats/chat/messages')).status).toBe(200)
          return node.requestCount()
        })
        .toBeGreaterThan(before)
    }
  })
})

/** Three servers on one store, with a proxy before them. */
async function openWorld(start: (options: ProxyOptions) => Promise<AsyncDisposable>, config: string) {
  await using stack = new AsyncDisposableStack()
  const { store } = stack.use(await temporaryStore())
  const { agent, letGo } = heldAgent('assistant', { before: [say('Well,')], after: [say(' yes.')] })
  const nodes = await Promise.all(
    [1, 2, 3].map(async index => {
      const port = await freePort()
      let requestCount = 0
      const count = (line: string) => {
        if (line.includes('"msg":"request"') && !line.includes('"/ready"')) requestCount += 1
      }
      const logger = pino({ level: 'debug' }, { write: count })
      const run = () =>
        startServer({ store, agents: [agent], hosts: ['chat.example'], logger, port, heartbeatMs: 50 })
      let server = await run()
      return {
        index,
        port,
        requestCount: () => requestCount,
        stop: () => server.close(),
        async restart() {
          server = await run()
        },
      }
    }),
  )
  stack.defer(async () => void (await Promise.all(nodes.map(node => node.stop()))))
  const port = await freePort()
  const addresses = Object.fromEntries(
    nodes.map(node => [`10.0.0.1${node.index}:4000`, `127.0.0.1:${node.port}`]),
  )
  stack.use(await start({ config, port, addresses }))
  const client = stack.use(http2Client(port))
  await expect.poll(async () => (await client.get('/ready')).status).toBe(200)
  const kept = stack.move()
  return {
    nodes,
    client,
    letGo,
    ask: (chatId: string) => openStream(client, chatId),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

/** Asks in a chat, and reads the stream of the answer. */
async function openStream(client: Http2Client, chatId: string) {
  const { status, body } = await client.post('/api/chat', { id: chatId, messages: [userMessage()] })
  expect(status).toBe(200)
  const pieces = body[Symbol.asyncIterator]()
  let seen = ''
  return {
    /** Resolves when the text has come so many times. */
    async until(text: string, times = 1): Promise<void> {
      while (seen.split(text).length <= times) {
        const { value, done } = await pieces.next()
        if (done === true) throw new Error(`The stream has ended without "${text}": ${seen}`)
        seen += value
      }
    },
    [Symbol.asyncDispose]: async () => void (await pieces.return?.()),
  }
}
