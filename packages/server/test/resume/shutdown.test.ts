import { connect } from 'node:net'
import type { LogName } from '@throughline/log'
import { heldAgent, say } from '@throughline/testing/agent/scripted-agent'
import { ask, sendJson, userMessage } from '@throughline/testing/http/chat-requests'
import { SseBytes, valuesOf } from '@throughline/testing/http/sse-bytes'
import { startTestServer } from '@throughline/testing/server/test-server'
import { describe, expect, test } from 'vitest'
import { agentSystem } from '../../src/who/agent-system.ts'

describe('a viewer who is behind when the server goes down', () => {
  test.each([
    ['/api/chat', /"reason":"The server was shut down."}\n\ndata: \[DONE\]\n\n$/],
    ['/api/chat?subAgents=inline', /"reason":"The server was shut down."}\n\ndata: \[DONE\]\n\n$/],
    ['/api/chat?format=data-stream', /3:"The server was shut down."\ne:.*\nd:.*\n$/],
  ])('gets the end of its run (%s)', async (path, end) => {
    await using world = await startSlow()
    const body = { id: 'chat', messages: [userMessage()] }
    await using stream = new SseBytes(await sendJson(`${world.url}${path}`, body))
    await stream.until('I begin.')
    await world.goDown()
    expect((await stream.rest()).toString()).toMatch(end)
  })

  test('gets the end of its run as AG-UI events', async () => {
    await using world = await startSlow()
    const messages = [{ id: 'question', role: 'user', content: 'How is the weather?' }]
    const response = await sendJson(`${world.url}/ag-ui`, { threadId: 'chat', runId: 'run', messages })
    await using stream = new SseBytes(response)
    await stream.until('I begin.')
    await world.goDown()
    expect(valuesOf(await stream.rest()).at(-1)).toMatchObject({ type: 'RUN_ERROR', code: 'interrupted' })
  })

  test('gets the end of its run from the event API, in events and in one piece', async () => {
    await using world = await startSlow()
    const query = { message: 'How is the weather?', session_id: 'chat', message_id: 'question' }
    await using stream = new SseBytes(await sendJson(`${world.url}/agent/query-stream-delta`, query))
    await stream.until('I begin.')
    const whole = sendJson(`${world.url}/agent/query`, query)
    await world.isRead()
    await world.goDown()
    expect((await stream.rest()).toString()).toContain('"type":"error"')
    const answer = await whole
    expect(answer.status).toBe(200)
    expect(await answer.json()).toMatchObject({ content: 'I begin.' })
  })

  test('gets everything that is in the log of the chat, and a clean end', async () => {
    await using world = await startSlow()
    await using run = new SseBytes(await ask(world.url))
    await run.until('I begin.')
    await using log = new SseBytes(await fetch(`${world.url}/api/chats/chat/log`))
    await log.until('I begin.')
    await world.goDown()
    expect(valuesOf(await log.rest()).at(-1)).toMatchObject({ chunk: { type: 'abort' } })
  })
})

test('a viewer who does not read at all does not keep the server from closing', async () => {
  const { agent } = heldAgent('assistant', {
    before: [...Array.from({ length: 64 }, () => say('x'.repeat(256 * 1024))), say('the last piece')],
  })
  // More than an answer may usually be: the viewer's connection cannot hold all of it.
  const system = agentSystem({ limits: { maxOutputBytes: 32 * 1024 * 1024 } })
  await using server = await startTestServer({ agents: [agent], system })
  const body = JSON.stringify({ id: 'chat', messages: [userMessage()] })
  const { port } = new URL(server.url)
  const socket = connect(Number(port), '127.0.0.1')
  socket.pause()
  socket.on('error', () => undefined)
  socket.write(
    `POST /api/chat HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  )
  while ((await server.store.runs.unfinished()).length === 0);
  await using log = new SseBytes(await fetch(`${server.url}/api/chats/chat/log`))
  await log.until('the last piece')
  await server.close()
  expect(await server.store.runs.unfinished()).toEqual([])
  socket.destroy()
})

/**
 * A server with one answer in the middle. When it goes down, nobody can read the chat's log until the streams of others
 * have been closed: that is how far behind a viewer can be.
 */
async function startSlow() {
  const { agent } = heldAgent('assistant', { before: [say('I begin.')] })
  const gate = Promise.withResolvers<void>()
  let isSlow = false
  let reads = 0
  const server = await startTestServer({
    agents: [agent],
    wrapStore: store => ({
      ...store,
      log: {
        ...store.log,
        async read(name: LogName, ...rest) {
          reads += 1
          if (isSlow && name.endsWith('/chat')) await gate.promise
          return store.log.read(name, ...rest)
        },
      },
    }),
  })
  await sendJson(`${server.url}/api/chats`, { id: 'other' })
  const witness = new SseBytes(await fetch(`${server.url}/api/chats/other/log`))
  return {
    url: server.url,
    /** Resolves when somebody has read the log after this call. */
    async isRead() {
      const before = reads
      while (reads === before) await new Promise(resolve => setImmediate(resolve))
    },
    async goDown() {
      isSlow = true
      const closed = server.close()
      await witness.rest()
      gate.resolve()
      await closed
    },
    async [Symbol.asyncDispose]() {
      gate.resolve()
      await server[Symbol.asyncDispose]()
    },
  }
}
