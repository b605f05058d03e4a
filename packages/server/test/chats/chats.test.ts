import { heldAgent, say } from '@throughline/testing/agent/scripted-agent'
import { ask, loadChat, problemOf, sendJson, stop, submit } from '@throughline/testing/http/chat-requests'
import { SseBytes } from '@throughline/testing/http/sse-bytes'
import { startTestServer } from '@throughline/testing/server/test-server'
import { afterAll, describe, expect, test } from 'vitest'

const server = await startTestServer()
const { url } = server
afterAll(() => server[Symbol.asyncDispose]())

describe('a request is refused', () => {
  const posts = [
    '/api/chat',
    '/api/chats',
    '/api/chats/chat/messages',
    '/api/v1/console/playground/agent/stream',
  ]

  test.each(posts)('when the body of POST %s is not JSON', async path => {
    const headers = { 'content-type': 'application/json' }
    for (const body of ['', '{', 'undefined', '\u0000', '{"id":1}}']) {
      const response = await fetch(url + path, { method: 'POST', headers, body })
      expect(await problemOf(response)).toMatchObject({ status: 400, code: 'invalid-json' })
    }
  })

  test.each(posts)('when the body of POST %s is JSON of another form', async path => {
    for (const body of [null, [], 'text', 7, { id: 7, messages: 7, message: 7 }]) {
      const problem = await problemOf(await sendJson(url + path, body))
      expect(problem).toMatchObject({ status: 400, code: 'invalid-body' })
    }
  })

  test.each(posts)('when the body of POST %s is larger than 1 MB', async path => {
    const problem = await problemOf(await sendJson(url + path, { title: 'x'.repeat(1024 * 1024) }))
    expect(problem).toMatchObject({ status: 413, code: 'body-too-large' })
  })

  test('when a body of unknown length turns out to be larger than 1 MB', async () => {
    const body = new ReadableStream<Uint8Array>({
      pull: controller => controller.enqueue(Buffer.alloc(64 * 1024, 'x')),
    })
    const streamed = { method: 'POST', headers: { 'content-type': 'application/json' }, body, duplex: 'half' }
    const response = await fetch(`${url}/api/chat`, streamed)
    expect(await problemOf(response)).toMatchObject({ status: 413, code: 'body-too-large' })
  })

  test('when it is too large for the buffers between, and the next one is answered all the same', async () => {
    const problem = await problemOf(
      await sendJson(`${url}/api/chats`, { title: 'x'.repeat(12 * 1024 * 1024) }),
    )
    expect(problem.code).toBe('body-too-large')
    expect((await fetch(`${url}/health`)).status).toBe(200)
  })

  test('when it names an agent that does not exist', async () => {
    for (const send of [ask, submit]) {
      const problem = await problemOf(await send(url, { chatId: 'new', fields: { agent: 'nobody' } }))
      expect(problem).toMatchObject({ status: 400, code: 'unknown-agent' })
      expect(problem.detail).toContain('Known agents: assistant')
    }
    expect((await fetch(`${url}/api/chats/new`)).status).toBe(404)
  })

  test.each(['a b', 'a/b', '', 'é', 'x'.repeat(129), '..', "'; drop table chats; --"])(
    'when a chat or a message has the id %j',
    async id => {
      expect(await problemOf(await ask(url, { chatId: id }))).toMatchObject({ code: 'invalid-id' })
      expect(await problemOf(await ask(url, { messageId: id }))).toMatchObject({ code: 'invalid-id' })
      const paths = ['', '/messages', '/log'].map(end => `/api/chats/${encodeURIComponent(id)}${end}`)
      for (const path of paths) expect([400, 404]).toContain((await fetch(url + path)).status)
    },
  )

  test.each([
    ['no user message', []],
    ['only an answer', [{ id: 'a', role: 'assistant', parts: [{ type: 'text', text: 'x' }] }]],
    ['a message without an id', [{ role: 'user', parts: [{ type: 'text', text: 'x' }] }]],
    ['a message without parts', [{ id: 'a', role: 'user', parts: [] }]],
    ['a blank message', [{ id: 'a', role: 'user', parts: [{ type: 'text', text: ' \n' }] }]],
    ['a part of an unknown kind', [{ id: 'a', role: 'user', parts: [{ type: 'file', url: 'data:,' }] }]],
  ])('when there is %s', async (_, messages) => {
    const problem = await problemOf(await sendJson(`${url}/api/chat`, { id: 'new', messages }))
    expect(problem.status).toBe(400)
    expect((await fetch(`${url}/api/chats/new`)).status).toBe(404)
  })

  test.each([
    ['unknown', 'unknown'],
    ['malformed', 'not an id'],
    ['not said', undefined],
  ])('when it wants another answer to a message that is %s', async (_, messageId) => {
    const messages = [{ id: 'a', role: 'assistant', parts: [{ type: 'text', text: 'x' }] }]
    const body = { id: 'new', messages, trigger: 'regenerate-message', messageId }
    const problem = await problemOf(await sendJson(`${url}/api/chat`, body))
    expect(problem).toMatchObject({ status: 404, code: 'message-not-found' })
    expect((await fetch(`${url}/api/chats/new`)).status).toBe(404)
  })

  test('when there is no such chat', async () => {
    const asked = [
      fetch(`${url}/api/chats/nowhere`),
      fetch(`${url}/api/chats/nowhere/messages`),
      fetch(`${url}/api/chats/nowhere/log`),
      fetch(`${url}/api/chat/nowhere/stream?after=x.1`),
      fetch(`${url}/api/chats/nowhere`, { method: 'DELETE' }),
      sendJson(`${url}/api/chats/nowhere`, { title: 'x' }, { method: 'PATCH' }),
    ]
    for (const response of await Promise.all(asked)) {
      expect(await problemOf(response)).toMatchObject({ status: 404, code: 'chat-not-found' })
    }
    const stopped = await stop(url, 'nowhere')
    expect(stopped.status).toBe(404)
    expect(await stopped.json()).toEqual({ result: 'not-found' })
  })

  test('when there is no such route', async () => {
    for (const path of ['/', '/api', '/api/chats/a/b', '/../etc/passwd', '/api/chat/a/stop/now']) {
      expect(await problemOf(await fetch(url + path))).toMatchObject({ status: 404, code: 'route-not-found' })
    }
  })
})

describe('chats', () => {
  test('a chat is made, listed, read, renamed and deleted', async () => {
    const made = await sendJson(`${url}/api/chats`, { id: 'plans', title: 'Plans' })
    expect(made.status).toBe(201)
    const chat = { id: 'plans', title: 'Plans', createdAt: expect.any(String), updatedAt: expect.any(String) }
    expect(await made.json()).toEqual(chat)
    expect(await (await fetch(`${url}/api/chats/plans`)).json()).toEqual(chat)
    const listed = await (await fetch(`${url}/api/chats`)).json()
    expect(listed).toMatchObject({ chats: expect.arrayContaining([{ ...chat, activity: 'idle' }]) })
    const renamed = await sendJson(`${url}/api/chats/plans`, { title: ' Old plans ' }, { method: 'PATCH' })
    expect(await renamed.json()).toMatchObject({ title: 'Old plans' })
    expect((await fetch(`${url}/api/chats/plans`, { method: 'DELETE' })).status).toBe(204)
    expect((await fetch(`${url}/api/chats/plans`)).status).toBe(404)
  })

  test('a chat that is made twice is made once', async () => {
    await sendJson(`${url}/api/chats`, { id: 'once', title: 'First' })
    const again = await sendJson(`${url}/api/chats`, { id: 'once', title: 'Second' })
    expect(await again.json()).toMatchObject({ title: 'First' })
  })

  test('a chat without an id gets one', async () => {
    const made = await sendJson(`${url}/api/chats`, {})
    expect(await made.json()).toMatchObject({ id: expect.stringMatching(/^chat_/), title: '' })
  })

  test.each(['', ' ', 'x'.repeat(201)])('a chat cannot be renamed to %j', async title => {
    const response = await sendJson(`${url}/api/chats/any`, { title }, { method: 'PATCH' })
    expect(await problemOf(response)).toMatchObject({ status: 400, code: 'invalid-body' })
  })

  test.each([
    ['Hello', 'Hello'],
    [' two\n lines ', 'two lines'],
    ['👩‍🚀'.repeat(60), `${[...'👩‍🚀'.repeat(60)].slice(0, 79).join('')}…`],
    ['\u0000\ud800x', '\u0000\ufffdx'],
  ])('the title of a new chat is the beginning of its first message: %j', async (text, title) => {
    const chatId = `title-${text.length}`
    await (await ask(url, { chatId, text })).text()
    expect(await (await fetch(`${url}/api/chats/${chatId}`)).json()).toMatchObject({ title })
  })

  test('a title that was given stays', async () => {
    await sendJson(`${url}/api/chats`, { id: 'named', title: 'Named' })
    await (await ask(url, { chatId: 'named' })).text()
    expect(await (await fetch(`${url}/api/chats/named`)).json()).toMatchObject({ title: 'Named' })
  })

  test('deleting a chat stops its answer, ends its streams, and leaves nothing behind', async () => {
    const { agent } = heldAgent('assistant', { before: [say('Wait')] })
    await using held = await startTestServer({ agents: [agent] })
    await using run = new SseBytes(await ask(held.url))
    await using log = new SseBytes(await fetch(`${held.url}/api/chats/chat/log`))
    await run.until('Wait')
    await log.until('Wait')
    expect((await fetch(`${held.url}/api/chats/chat`, { method: 'DELETE' })).status).toBe(204)
    expect((await run.rest()).toString()).toMatch(/"type":"abort".*\n\ndata: \[DONE\]\n\n$/)
    expect((await log.rest()).toString()).toMatch(/\nevent: reset\ndata: .*\n\n$/)
    expect((await fetch(`${held.url}/api/chats/chat/messages`)).status).toBe(404)
    expect(await held.store.runs.unfinished()).toEqual([])
  })

  test('a chat that is made again under a deleted id is empty', async () => {
    await (await ask(url, { chatId: 'again' })).text()
    const { position } = await loadChat(url, 'again')
    await fetch(`${url}/api/chats/again`, { method: 'DELETE' })
    await sendJson(`${url}/api/chats`, { id: 'again' })
    const empty = await loadChat(url, 'again')
    expect(empty.messages).toEqual([])
    expect(empty.position.split('.')[0]).not.toBe(position.split('.')[0])
  })
})

test('the agents are told', async () => {
  expect(await (await fetch(`${url}/api/agents`)).json()).toEqual({
    agents: [{ name: 'assistant', displayName: 'The assistant', allowedSubAgents: [], toolKeys: [] }],
    subAgents: [],
    promptVariables: expect.arrayContaining(['agentName', 'currentDate']),
    definable: { models: [], maxOutputTokens: 32_000 },
  })
})

test('the server is healthy while its store answers', async () => {
  await using other = await startTestServer()
  expect(await (await fetch(`${other.url}/health`)).json()).toEqual({ status: 'ok' })
  await other.store.close()
  const problem = await problemOf(await fetch(`${other.url}/health`))
  expect(problem).toMatchObject({ status: 503, code: 'store-unavailable' })
  expect(JSON.stringify(problem)).not.toMatch(/sql|thread|database/i)
})

test('every answer has an id that leads to the log, and is not sniffed', async () => {
  const asked = ['/health', '/api/chats', '/nowhere', '/api/chats/nowhere'].map(path => fetch(url + path))
  for (const { headers } of await Promise.all([...asked, ask(url, { chatId: 'ids' })])) {
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  }
})
