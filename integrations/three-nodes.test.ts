import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { submit, userMessage } from '@throughline/testing/http/chat-requests'
import { testDatabase } from '@throughline/testing/postgres/test-database'
import {
  type DeployedProxy,
  deployedProxies,
  startDeployedProxy,
} from '@throughline/testing/proxies/deployed-proxy'
import { http2Client } from '@throughline/testing/proxies/http2-client'
import { manyClients } from '@throughline/testing/proxies/many-clients'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { describe, expect, test } from 'vitest'
import { startHeldProvider } from './proxies/held-provider.ts'
import { readThrough, watchChat } from './proxies/read-through.ts'
import { startNode } from './proxies/start-node.ts'

describe.each(deployedProxies)('three nodes on one Postgres behind %s, as in docs/deploy', name => {
  test('every node takes requests, and none of them needs to be the one before', async () => {
    await using world = await openWorld(name)
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
    await using world = await openWorld(name)
    await using stream = await world.ask('chat')
    await stream.until('Well,')
    await stream.until('\n:', 3)
    world.letGo()
    await stream.until(' yes.')
    await stream.until('[DONE]')
  })

  test('a message with 13 MB of files gets through', async () => {
    await using world = await openWorld(name)
    const url = `data:text/plain;base64,${Buffer.alloc(1_000_000, 'x').toString('base64')}`
    const file = { type: 'file', mediaType: 'text/plain', filename: 'x.txt', url }
    const parts = [{ type: 'text', text: 'Is it?' }, ...Array.from({ length: 10 }, () => file)]
    const message = { ...userMessage(), parts }
    const response = await world.client.post('/api/chats/files/messages', { message })
    // Not 413 of the proxy: the response is the server's own.
    expect([response.status, await response.text()]).toEqual([202, expect.stringContaining('"runId"')])
  })

  test('while one node after the other is taken down and comes back, every request is answered', async () => {
    await using world = await openWorld(name)
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

  test('in a rolling restart, clients that send each request once get what they ask for', async () => {
    await using world = await openWorld(name)
    world.letGo()
    await using clients = manyClients({ client: world.client })
    for (const node of world.nodes) {
      await clients.untilMore(30)
      await node.end('SIGTERM')
      await clients.untilMore(30)
      await node.restart()
    }
    await clients.untilMore(30)
    expect(await clients.finish()).toEqual([])
  }, 120_000)

  test('when the node of a run is killed, viewers on all nodes see the answer go on, each entry once', async () => {
    await using world = await openWorld(name)
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

test('behind Caddy, a request that no node can take gets a 503 that says when to come again', async () => {
  await using world = await openWorld('Caddy')
  await Promise.all(world.nodes.map(node => node.end('SIGTERM')))
  await expect
    .poll(async () => {
      const { status, hasRetryAfter } = await world.client.post('/api/chats/chat/messages', {})
      return { status, hasRetryAfter }
    })
    .toEqual({ status: 503, hasRetryAfter: true })
}, 120_000)

test('behind nginx, a message that a node has when it is killed goes to another one', async () => {
  await using world = await openWorld('nginx')
  const [stopped] = world.nodes
  // It takes requests, and does not respond.
  stopped?.pause()
  const sent = Array.from({ length: 9 }, (_, index) =>
    world.client.post(`/api/chats/chat-${index}/messages`, { message: userMessage() }),
  )
  await Promise.any(sent)
  await stopped?.end('SIGKILL')
  const statuses = (await Promise.all(sent)).map(({ status }) => status)
  expect(statuses).toEqual(sent.map(() => 202))
}, 120_000)

/** Three node processes on one Postgres database, with a proxy before them. */
async function openWorld(name: DeployedProxy) {
  await using stack = new AsyncDisposableStack()
  const database = stack.use(await testDatabase())
  const { path: folder } = stack.use(await temporaryFolder())
  // The shortest interval that is allowed.
  await writeFile(join(folder, 'throughline.config.ts'), 'export default { stream: { heartbeatMs: 1_000 } }')
  const provider = stack.use(await startHeldProvider())
  const env = { ...provider.env, DATABASE_URL: database.url, THROUGHLINE_HOSTS: 'chat.example' }
  const nodes = await Promise.all([1, 2, 3].map(async () => stack.use(await startNode({ folder, env }))))
  const ports = nodes.map(node => node.port)
  const proxy = stack.use(await startDeployedProxy(name, ports))
  const client = stack.use(http2Client(proxy.port))
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
