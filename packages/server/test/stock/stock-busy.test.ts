import { recordingAgent } from '@throughline/testing/agent/recording-agent'
import { heldScript, type Script, say } from '@throughline/testing/agent/scripted-agent'
import { loadAll } from '@throughline/testing/http/branch-requests'
import {
  ask,
  loadChat,
  problemOf,
  sendJson,
  submit,
  userMessage,
} from '@throughline/testing/http/chat-requests'
import { SseBytes } from '@throughline/testing/http/sse-bytes'
import { startTestServer, type TestServerOptions } from '@throughline/testing/server/test-server'
import { waitingCall } from '@throughline/testing/server/waiting-call'
import { describe, expect, test } from 'vitest'
import { chatOn, isShown, textsOf } from './stock-page.ts'

describe('a stock client that sends a message into a busy chat', () => {
  test('after its stop() interrupts the answer that it left, and is answered', async () => {
    await using world = await startBusy()
    const chat = chatOn(world.url)
    const first = chat.sendMessage({ text: 'One?' })
    await isShown(chat, 'I begin.')
    await chat.stop()
    await first
    await chat.sendMessage({ text: 'Two?' })
    expect(chat.error).toBeUndefined()
    expect(textsOf(chat)).toEqual(['One?', 'I begin.', 'Two?', 'Answer 2.'])
    const { messages } = await loadChat(world.url)
    expect(messages.map(({ metadata }) => metadata?.status)).toEqual([
      undefined,
      'stopped',
      undefined,
      'finished',
    ])
    expect(world.given[1]).toEqual(messages.slice(0, 3).map(({ id }) => id))
  })

  test('waits for its own leaving to be noticed, and then interrupts what it left', async () => {
    await using world = await startBusy()
    const first = new SseBytes(await ask(world.url))
    await first.until('I begin.')
    const second = ask(world.url, { messageId: 'second' })
    await world.isWaiting('second')
    expect((await loadChat(world.url)).messages).toHaveLength(2)
    await first[Symbol.asyncDispose]()
    expect(await (await second).text()).toContain('Answer 2.')
    expect(await statusesIn(world.url)).toEqual(['stopped', 'finished'])
  })

  test.each([
    ['the stream of the run', '/api/chat/chat/stream'],
    ['the log of the chat', '/api/chats/chat/log'],
  ])('waits for an answer that somebody else watches in %s', async (_, path) => {
    await using world = await startBusy()
    await (await submit(world.url)).text()
    await using other = new SseBytes(await fetch(`${world.url}${path}`))
    await other.until('I begin.')
    const second = ask(world.url, { messageId: 'second' })
    await world.isWaiting('second')
    world.letGo()
    expect(await (await second).text()).toContain('Answer 2.')
    expect(await statusesIn(world.url)).toEqual(['finished', 'finished'])
  })

  test('after a stop() in the tab that asked interrupts the answer, though a second tab watches', async () => {
    await using world = await startBusy()
    const chat = chatOn(world.url)
    const first = chat.sendMessage({ text: 'One?' })
    await isShown(chat, 'I begin.')
    await using other = new SseBytes(await fetch(`${world.url}/api/chat/${chat.id}/stream`))
    await other.until('I begin.')
    await chat.stop()
    await first
    await chat.sendMessage({ text: 'Two?' })
    expect(textsOf(chat)).toEqual(['One?', 'I begin.', 'Two?', 'Answer 2.'])
    expect((await other.rest()).toString()).toContain('"type":"abort"')
  })

  test('has heartbeats while it waits for an answer that somebody else watches', async () => {
    await using world = await startBusy({ heartbeatMs: 300 })
    await (await submit(world.url)).text()
    await using other = new SseBytes(await fetch(`${world.url}/api/chats/chat/log`))
    await other.until('I begin.')
    await using second = new SseBytes(await ask(world.url, { messageId: 'second' }))
    await second.until(': heartbeat\n\n: heartbeat')
    world.letGo()
    expect((await second.rest()).toString()).toMatch(/Answer 2\.[\s\S]*\[DONE]/)
  })

  test('is told in its stream when it is removed from the queue', async () => {
    await using world = await startBusy({ heartbeatMs: 300 })
    await (await submit(world.url)).text()
    await using second = new SseBytes(
      await ask(world.url, { messageId: 'second', fields: { onBusy: 'queue' } }),
    )
    await second.until(': heartbeat')
    await fetch(`${world.url}/api/chats/chat/queue/second`, { method: 'DELETE' })
    expect((await second.rest()).toString()).toMatch(/"type":"error","errorText":".+"}\n\ndata: \[DONE]/)
    world.letGo()
  })

  test('waits for an answer that somebody waits for in one piece', async () => {
    await using world = await startBusy()
    const query = sendJson(`${world.url}/agent/query`, { message: 'One?', session_id: 'chat' })
    while ((await world.server.store.runs.unfinished()).length === 0);
    const second = ask(world.url, { messageId: 'second' })
    await world.isWaiting('second')
    world.letGo()
    expect(await (await query).json()).toMatchObject({ content: 'I begin. I end.' })
    expect(await (await second).text()).toContain('Answer 2.')
  })

  test('interrupts an answer that nobody has ever watched', async () => {
    await using world = await startBusy()
    expect((await submit(world.url)).status).toBe(202)
    expect(await (await ask(world.url, { messageId: 'second' })).text()).toContain('Answer 2.')
    expect(await statusesIn(world.url)).toEqual(['stopped', 'finished'])
  })

  test('interrupts an answer that waits for an approval, though it is watched', async () => {
    await using fixture = await waitingCall()
    await using log = new SseBytes(await fetch(`${fixture.url}/api/chats/chat/log`))
    await log.until('"tool-approval-request"')
    await using second = new SseBytes(await ask(fixture.url, { messageId: 'second' }))
    await second.until('"type":"start"')
    expect(fixture.removed).toEqual([])
    expect((await statusesIn(fixture.url))[0]).toBe('stopped')
  })

  test('is refused only when it asks for that', async () => {
    await using world = await startBusy()
    await using first = new SseBytes(await ask(world.url))
    await first.until('I begin.')
    const refused = await ask(world.url, { messageId: 'second', fields: { onBusy: 'reject' } })
    expect(await problemOf(refused)).toMatchObject({ status: 409, code: 'chat-busy' })
  })

  test('and leaves before it is answered has its answer all the same, and watches nothing', async () => {
    await using world = await startBusy()
    await using first = new SseBytes(await ask(world.url))
    await first.until('I begin.')
    const left = new AbortController()
    const body = JSON.stringify({ id: 'chat', messages: [userMessage({ messageId: 'second' })] })
    const headers = { 'content-type': 'application/json' }
    const second = fetch(`${world.url}/api/chat`, { method: 'POST', headers, body, signal: left.signal })
    await world.isWaiting('second')
    left.abort()
    await expect(second).rejects.toThrow()
    world.letGo()
    await first.rest()
    // Whoever follows may have to wait for the second answer's end, or interrupts it: it does not watch itself.
    expect(await (await ask(world.url, { messageId: 'third' })).text()).toContain('[DONE]')
    const { messages } = await loadChat(world.url)
    expect(messages.filter(({ role }) => role === 'user').map(({ id }) => id)).toEqual([
      'question',
      'second',
      'third',
    ])
  })
})

describe('messages that wait for their chat', () => {
  test('are answered in the order in which they came, whatever their kind', async () => {
    await using world = await startBusy()
    await using first = new SseBytes(await ask(world.url))
    await first.until('I begin.')
    const ids = ['second', 'third', 'fourth', 'fifth', 'sixth']
    const answers: Promise<Response>[] = []
    for (const [index, messageId] of ids.entries()) {
      const send = index % 2 === 0 ? ask : submit
      answers.push(send(world.url, { messageId, fields: { onBusy: 'queue' } }))
      await world.isWaiting(messageId)
    }
    world.letGo()
    for (const answer of answers) await (await answer).text()
    await (await fetch(`${world.url}/api/chat/chat/stream`)).text()
    const { messages } = await loadChat(world.url)
    expect(messages.filter(({ role }) => role === 'user').map(({ id }) => id)).toEqual(['question', ...ids])
    expect(messages.filter(({ metadata }) => metadata?.status === 'finished')).toHaveLength(6)
  })

  test('do not keep a message that is sent again from the run that it has', async () => {
    await using world = await startBusy()
    await using first = new SseBytes(await ask(world.url))
    await first.until('I begin.')
    const second = ask(world.url, { messageId: 'second' })
    await world.isWaiting('second')
    await using again = new SseBytes(await ask(world.url))
    await again.until('I begin.')
    world.letGo()
    expect((await again.rest()).toString()).toBe((await first.rest()).toString())
    expect(await (await second).text()).toContain('Answer 2.')
  })

  test('from two pages at once are both answered, in a chat that is new and in one that is not', async () => {
    const { agent } = recordingAgent()
    await using server = await startTestServer({ agents: [agent] })
    for (const round of [1, 2]) {
      const ids = [`a${round}`, `b${round}`, `c${round}`]
      const answers = await Promise.all(ids.map(messageId => ask(server.url, { messageId })))
      for (const answer of answers) expect(await answer.text()).toContain('"type":"finish"')
    }
    const { messages } = await loadChat(server.url)
    expect(messages).toHaveLength(12)
    expect(await statusesIn(server.url)).toEqual(Array.from({ length: 6 }, () => 'finished'))
  })
})

test('an AG-UI client’s message is treated like a stock client’s', async () => {
  await using world = await startBusy()
  const first = new SseBytes(await askAgUi(world.url, ['question']))
  await first.until('I begin.')
  const second = askAgUi(world.url, ['question', 'second'])
  await world.isWaiting('second')
  await first[Symbol.asyncDispose]()
  expect(await (await second).text()).toContain('Answer 2.')
  const answers = (await loadAll(world.url)).filter(({ role }) => role === 'assistant')
  expect(answers.map(({ metadata }) => metadata?.status)).toEqual(['stopped', 'finished'])
})

/** A chat whose first answer waits; later ones come at once. */
async function startBusy(options: TestServerOptions = {}) {
  const held = heldScript({ before: [say('I begin.')], after: [say(' I end.')] })
  const scripts: readonly Script[] = [held.script]
  const { agent, given } = recordingAgent(scripts)
  const asked = new Map<string, PromiseWithResolvers<void>>()
  const askedFor = (id: string) => {
    const known = asked.get(id) ?? Promise.withResolvers<void>()
    asked.set(id, known)
    return known
  }
  const server = await startTestServer({
    ...options,
    agents: [agent],
    wrapStore: store => ({
      ...store,
      messages: {
        ...store.messages,
        async find(chat, id) {
          const found = await store.messages.find(chat, id)
          askedFor(id).resolve()
          return found
        },
      },
    }),
  })
  return {
    server,
    url: server.url,
    given,
    letGo: held.letGo,
    /** Resolves when a message has come in and has its place among those that wait. */
    isWaiting: (id: string) => askedFor(id).promise,
    async [Symbol.asyncDispose]() {
      held.letGo()
      await server[Symbol.asyncDispose]()
    },
  }
}

async function statusesIn(url: string): Promise<readonly unknown[]> {
  const { messages } = await loadChat(url)
  return messages.flatMap(({ role, metadata }) => (role === 'assistant' ? [metadata?.status] : []))
}

function askAgUi(url: string, ids: readonly string[]): Promise<Response> {
  const messages = ids.map(id => ({ id, role: 'user', content: 'How is the weather?' }))
  return sendJson(`${url}/ag-ui`, { threadId: 'chat', runId: 'run', messages })
}
