import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { submit, userMessage } from '@throughline/testing/http/chat-requests'
import { testDatabase } from '@throughline/testing/postgres/test-database'
import { freePort } from '@throughline/testing/server/free-port'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { describe, expect, test } from 'vitest'
import { startHeldProvider } from './proxies/held-provider.ts'
import { http2Client } from './proxies/http2-client.ts'
import { readThrough, watchChat } from './proxies/read-through.ts'
import { startCaddy } from './proxies/start-caddy.ts'
import { type ProxyOptions, startNginx } from './proxies/start-nginx.ts'
import { startNode } from './proxies/start-node.ts'

const documents = new URL('../docs/deploy/', import.meta.url)
const nginx = await readFile(new URL('nginx.conf', documents), 'utf8')
const caddy = await readFile(new URL('Caddyfile', documents), 'utf8')

describe.each([
  ['nginx', startNginx, nginx],
  ['Caddy', startCaddy, caddy],
])('three nodes on one Postgres behind %s, as docs/deploy configures it', (_, start, config) => {
  test('every node takes requests, and none of them needs to be the one before', async () => {
    await using world = await openWorld(start, config)
    const { client, nodes } = world
    await using stream = await world.ask('chat')
    await stream.until('Well,')
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
    await using _stream = await world.ask('chat')
    for (const [index, node] of world.nodes.entries()) {
      await node.end('SIGTERM')
      for (let count = 0; count < 20; count += 1)
        expect((await world.client.get('/api/chats/chat/messages')).status).toBe(200)
      const path = `/api/chats/after-${index}/messages`
      expect((await world.client.post(path, { message: userMessage() })).status).toBe(202)
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
  }, 120_000)

  test('when the node of a run is killed, viewers on all nodes see the answer go on, each entry once', async () => {
    await using world = await openWorld(start, config)
    const { client, nodes } = world
    const [writer] = nodes
    expect((await submit(writer?.url ?? '')).status).toBe(202)
    const viewers = Array.from({ length: 6 }, () => watchChat(client, 'chat'))
    await Promise.all(viewers.map(viewer => viewer.until('Well,')))
    await writer?.end('SIGKILL')
    await Promise.all(viewers.map(viewer => viewer.until('"type":"finish"')))

    const entries = viewers[0]?.entries ?? []
    expect(entries.join('\n')).toMatch(/Well,[\s\S]*data-continued[\s\S]* yes\./)
    const numbers = entries.map(entry => Number(/^\S+\.(\d+) /.exec(entry)?.[1]))
    expect(numbers).toEqual(numbers.map((_, index) => index + 1))
    for (const viewer of viewers) expect(viewer.entries).toEqual(entries)
    // Some were on the node that died. The others kept their stream.
    const cutCounts = viewers.map(viewer => viewer.cutCount())
    expect(Math.max(...cutCounts)).toBeGreaterThan(0)
    expect(Math.min(...cutCounts)).toBe(0)
  }, 120_000)
})

/** Three node processes on one Postgres database, with a proxy before them. */
async function openWorld(start: (options: ProxyOptions) => Promise<AsyncDisposable>, config: string) {
  await using stack = new AsyncDisposableStack()
  const database = stack.use(await testDatabase())
  const { path: folder } = stack.use(await temporaryFolder())
  // The shortest interval that is allowed.
  await writeFile(join(folder, 'throughline.config.ts'), 'export default { stream: { heartbeatMs: 1_000 } }')
  const provider = stack.use(await startHeldProvider())
  const env = { ...provider.env, DATABASE_URL: database.url, THROUGHLINE_HOSTS: 'chat.example' }
  const nodes = await Promise.all([1, 2, 3].map(async () => stack.use(await startNode({ folder, env }))))
  const port = await freePort()
  const addresses = Object.fromEntries(
    nodes.map((node, index) => [`10.0.0.1${index + 1}:4000`, `127.0.0.1:${node.port}`]),
  )
  stack.use(await start({ config, port, addresses }))
  const client = stack.use(http2Client(port))
  await expect.poll(async () => (await client.get('/ready')).status).toBe(200)
  const kept = stack.move()
  return {
    nodes,
    client,
    letGo: provider.letGo,
    /** Asks in a chat, and reads the stream of the answer. */
    async ask(chatId: string) {
      const response = await client.post('/api/chat', { id: chatId, messages: [userMessage()] })
      expect(response.status).toBe(200)
      return readThrough(response)
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}
