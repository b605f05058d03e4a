import { recordingAgent } from '@throughline/testing/agent/recording-agent'
import { heldScript, type Script, say } from '@throughline/testing/agent/scripted-agent'
import { idsOf, loadAll, loadBranches } from '@throughline/testing/http/branch-requests'
import { loadChat, problemOf, sendJson } from '@throughline/testing/http/chat-requests'
import { SseBytes } from '@throughline/testing/http/sse-bytes'
import { startTestServer } from '@throughline/testing/server/test-server'
import { describe, expect, test } from 'vitest'
import { readAsAiSdk4 } from './read-as-ai-sdk-4.ts'

/** What a page of AI SDK 4 shows: a text for each message, questions and answers in turn. */
type Page = readonly string[]

describe('useChat of AI SDK 4, which sends no ids,', () => {
  test('is answered, and goes on with what it shows', async () => {
    await using world = await startLines()
    const one = await world.ask(['One?'])
    expect(one).toBe('Answer 1.')
    expect(await world.ask(['One?', one, 'Two?'])).toBe('Answer 2.')
    const { messages } = await loadChat(world.url)
    expect(messages).toMatchObject([
      { role: 'user', parts: [{ type: 'text', text: 'One?' }] },
      { role: 'assistant' },
      { role: 'user', parts: [{ type: 'text', text: 'Two?' }] },
      { role: 'assistant' },
    ])
    expect(world.given[1]).toEqual(idsOf(messages).slice(0, 3))
  })

  test('may say the same twice: that is two messages', async () => {
    await using world = await startLines()
    const one = await world.ask(['Again?'])
    const two = await world.ask(['Again?', one, 'Again?'])
    await world.ask(['Again?', one, 'Again?', two, 'Again?'])
    expect((await loadChat(world.url)).messages).toHaveLength(6)
    expect(world.given.map(ids => ids.length)).toEqual([1, 3, 5])
  })

  test('gets another answer with reload(), beside the one that it had', async () => {
    await using world = await startLines()
    const one = await world.ask(['One?'])
    expect(await world.ask(['One?', one, 'Two?'])).toBe('Answer 2.')
    const another = await world.ask(['One?', one, 'Two?'])
    expect(another).toBe('Answer 3.')
    expect(world.given[2]).toEqual(world.given[1])
    // And goes on with the new one.
    expect(await world.ask(['One?', one, 'Two?', another, 'Three?'])).toBe('Answer 4.')
    const { messages } = await loadChat(world.url)
    expect(world.given[3]).toEqual(idsOf(messages).slice(0, 5))
    expect(messages).toHaveLength(6)
    expect(await loadAll(world.url)).toHaveLength(7)
  })

  test('that shows the older of two answers goes on with that one', async () => {
    await using world = await startLines()
    const one = await world.ask(['One?'])
    await world.ask(['One?'])
    const first = (await loadAll(world.url))[1]?.id
    await world.ask(['One?', one, 'Two?'])
    expect(world.given[2]?.[1]).toBe(first)
  })

  test('is one message when the same request comes again while it is being answered, also at once', async () => {
    const { script, letGo } = heldScript({ before: [say('I begin.')], after: [say(' I end.')] })
    await using world = await startLines([script])
    const asked = [world.post(['One?']), world.post(['One?'])]
    await using first = new SseBytes(await world.post(['One?']))
    await first.until('I begin.')
    asked.push(world.post(['One?']))
    const responses = await Promise.all(asked)
    letGo()
    const texts = await Promise.all(responses.map(response => response.text()))
    for (const text of texts) expect(text).toBe((await first.rest()).toString())
    expect(await loadAll(world.url)).toHaveLength(2)
  })

  test('that edits by cutting what it shows gets a branch', async () => {
    await using world = await startLines()
    const one = await world.ask(['One?'])
    const two = await world.ask(['One?', one, 'Two?'])
    await world.ask(['One?', one, 'Two?', two, 'Three?'])
    await world.ask(['One?', one, 'Another two?'])
    await world.ask(['Another one?'])
    expect(world.given.map(ids => ids.length)).toEqual([1, 3, 5, 3, 1])
    expect(await loadBranches(world.url)).toHaveLength(3)
  })

  test('that shows what the chat does not know goes on at the end', async () => {
    await using world = await startLines()
    await world.ask(['One?'])
    await world.ask(['Never asked here.', 'Hm.', 'Two?'])
    expect(world.given[1]).toHaveLength(3)
    expect(await loadBranches(world.url)).toHaveLength(1)
  })

  test('that left with stop() may send the next message: the answer it left is interrupted', async () => {
    const { script } = heldScript({ before: [say('I begin.')] })
    await using world = await startLines([script])
    const first = new SseBytes(await world.post(['One?']))
    await first.until('I begin.')
    await first[Symbol.asyncDispose]()
    expect(await world.ask(['One?', 'I begin.', 'Two?'])).toBe('Answer 2.')
    const { messages } = await loadChat(world.url)
    expect(messages[1]?.metadata?.status).toBe('stopped')
    expect(world.given[1]).toEqual(idsOf(messages).slice(0, 3))
  })

  test('with its ids gets another answer with reload() too', async () => {
    await using world = await startLines()
    const messages = [{ id: 'one', role: 'user', content: 'One?', createdAt: '2026-01-02T03:04:05Z' }]
    await (await world.send({ messages })).text()
    expect(await (await world.send({ messages })).text()).toContain('Answer 2.')
    expect(idsOf(await loadAll(world.url))[0]).toBe('one')
    expect(world.given).toEqual([['one'], ['one']])
  })

  test('with its ids gets a branch where it cuts what it shows', async () => {
    await using world = await startLines()
    const one = { id: 'one', role: 'user', content: 'One?' }
    await (await world.send({ messages: [one] })).text()
    const [, answer] = await loadAll(world.url)
    const shown = [one, { id: answer?.id, role: 'assistant', content: 'Answer 1.' }]
    await (await world.send({ messages: [...shown, { id: 'two', role: 'user', content: 'Two?' }] })).text()
    await (await world.send({ messages: [...shown, { id: 'other', role: 'user', content: 'Two?' }] })).text()
    await (await world.send({ messages: [{ id: 'first', role: 'user', content: 'First?' }] })).text()
    expect(world.given).toEqual([
      ['one'],
      ['one', answer?.id, 'two'],
      ['one', answer?.id, 'other'],
      ['first'],
    ])
  })

  test('that sends its message alone goes on at the end, with and without an id', async () => {
    await using world = await startLines()
    await world.ask(['One?'])
    await (await world.send({ message: { id: 'two', role: 'user', content: 'Two?' } })).text()
    await (await world.send({ message: { role: 'user', content: 'Three?' } })).text()
    expect(world.given.map(ids => ids.length)).toEqual([1, 3, 5])
  })

  test('is told when it sends what is not taken', async () => {
    await using world = await startLines()
    const picture = { name: 'a.png', contentType: 'image/png', url: 'data:image/png;base64,' }
    for (const message of [
      { role: 'user', content: ' ' },
      { role: 'user', content: 5 },
      { role: 'user', content: [{ type: 'image', image: 'x' }] },
      { role: 'user', content: 'Look.', experimental_attachments: [picture] },
      { role: 'assistant', content: 'Hm.' },
    ]) {
      const problem = await problemOf(await world.send({ messages: [message] }))
      expect(problem).toMatchObject({ status: 400 })
    }
    expect((await fetch(`${world.url}/api/chats/chat`)).status).toBe(404)
  })
})

describe('experimental_resume() of AI SDK 4', () => {
  test.each([
    ['an address of its own', '/api/chat?chatId=chat&format=data-stream'],
    ['an address that had parameters already', '/api/chat?format=data-stream?chatId=chat'],
  ])('reads the answer that goes on from its start, at %s', async (_, path) => {
    const { script, letGo } = heldScript({ before: [say('I begin.')], after: [say(' I end.')] })
    await using world = await startLines([script])
    await using first = new SseBytes(await world.post(['One?']))
    await first.until('I begin.')
    const resumed = await fetch(`${world.url}${path}`)
    expect(resumed.headers.get('x-vercel-ai-data-stream')).toBe('v1')
    letGo()
    expect(await resumed.text()).toBe((await first.rest()).toString())
  })

  test('finds an empty stream when there is nothing to resume, or no such chat', async () => {
    await using world = await startLines()
    for (const isThere of [false, true]) {
      if (isThere) await world.ask(['One?'])
      const response = await fetch(`${world.url}/api/chat?format=data-stream?chatId=chat`)
      expect(response.status).toBe(200)
      expect(response.headers.get('x-vercel-ai-data-stream')).toBe('v1')
      expect(await response.text()).toBe('')
    }
  })

  test('must say which chat', async () => {
    await using world = await startLines()
    for (const path of ['/api/chat', '/api/chat?chatId=not%20an%20id']) {
      const problem = await problemOf(await fetch(`${world.url}${path}`))
      expect(problem).toMatchObject({ status: 400, code: 'invalid-id' })
    }
  })
})

describe('assistant-ui’s data stream runtime', () => {
  test('names its chat by its thread, and is answered, edited and reloaded', async () => {
    await using world = await startLines()
    const ask = (messages: readonly object[]) =>
      world.send({ id: undefined, threadId: 'chat', messages, tools: {}, system: 'Not used.', runConfig: {} })
    const one = { role: 'user', content: [{ type: 'text', text: 'One?' }] }
    // It sends the answer that is to come, too.
    const empty = { role: 'assistant', content: [] }
    await (await ask([one, empty])).text()
    const answer = [
      { role: 'assistant', content: [{ type: 'text', text: 'Answer 1.' }] },
      { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'x', toolName: 'y', output: {} }] },
    ]
    const two = { role: 'user', content: [{ type: 'text', text: 'Two?' }] }
    await (await ask([one, ...answer, two, empty])).text()
    await (await ask([one, ...answer, two, empty])).text()
    await (await ask([{ ...two }, empty])).text()
    expect(world.given.map(ids => ids.length)).toEqual([1, 3, 3, 1])
  })

  test('with its ids is known by them', async () => {
    await using world = await startLines()
    const messages = [{ role: 'user', unstable_id: 'own', content: [{ type: 'text', text: 'One?' }] }]
    await (await world.send({ id: undefined, threadId: 'chat', messages })).text()
    expect(world.given).toEqual([['own']])
  })
})

test('content instead of parts is taken in the chunk form too, since assistant-ui reads that as well', async () => {
  await using world = await startLines()
  const body = { threadId: 'chat', messages: [{ role: 'user', content: [{ type: 'text', text: 'One?' }] }] }
  const response = await sendJson(`${world.url}/api/chat`, body)
  expect(await response.text()).toMatch(/Answer 1\..*data: \[DONE\]\n\n$/s)
})

async function startLines(scripts: readonly Script[] = []) {
  const { agent, given } = recordingAgent(scripts)
  const server = await startTestServer({ agents: [agent] })
  const send = (fields: object) =>
    sendJson(`${server.url}/api/chat?format=data-stream`, { id: 'chat', ...fields })
  const post = (page: Page) => send({ messages: page.map(messageOf) })
  return {
    url: server.url,
    given,
    send,
    post,
    /** Sends what a page shows; returns the text of the answer. */
    async ask(page: Page): Promise<string> {
      const { parts } = readAsAiSdk4(await (await post(page)).text())
      return parts.map(part => part.replace(/^text: /, '')).join('')
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

// As AI SDK 4 writes them: no ids, the text twice.
function messageOf(text: string, index: number): object {
  return {
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: text,
    parts: [{ type: 'text', text }],
  }
}
