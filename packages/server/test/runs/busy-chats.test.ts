import { finish, heldAgent, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import { ask, loadChat, problemOf, submit } from '@throughline/testing/http/chat-requests'
import { SseBytes } from '@throughline/testing/http/sse-bytes'
import { startTestServer, type TestServerOptions } from '@throughline/testing/server/test-server'
import { describe, expect, test } from 'vitest'

describe('while a chat is answering', () => {
  test('another message is refused when it asks for that, with the run that is active', async () => {
    await using world = await startHeld()
    const [run] = await world.server.store.runs.unfinished()
    const sent = [
      ask(world.url, { messageId: 'second', fields: { onBusy: 'reject' } }),
      submit(world.url, { messageId: 'second', fields: { onBusy: 'reject' } }),
      // The default of our own client's route.
      submit(world.url, { messageId: 'second' }),
    ]
    for (const response of sent) {
      const problem = await problemOf(await response)
      expect(problem).toMatchObject({
        status: 409,
        code: 'chat-busy',
        activeRunId: run?.id,
        activeMessageId: run?.answerId,
      })
    }
    expect((await loadChat(world.url)).messages).toHaveLength(2)
  })

  test('a message of another chat is answered', async () => {
    await using world = await startHeld()
    await using other = new SseBytes(await ask(world.url, { chatId: 'other' }))
    await other.until('Wait')
  })

  test('a queued message is answered after the end, in a message of its own', async () => {
    await using world = await startHeld()
    const queued = ask(world.url, { messageId: 'second', fields: { onBusy: 'queue' } })
    world.letGo()
    await (await queued).text()
    const { messages } = await loadChat(world.url)
    expect(messages.map(({ role, metadata }) => `${role} ${metadata?.status ?? ''}`)).toEqual([
      'user ',
      'assistant finished',
      'user ',
      'assistant finished',
    ])
  })

  test('whoever does not wait for the turn is told so as soon as the message is saved, also when it is sent again', async () => {
    await using world = await startHeld()
    const fields = { onBusy: 'queue', waitForTurn: false }
    const messageIds = ['second', 'third', 'second']
    for (const messageId of messageIds) {
      const response = await submit(world.url, { messageId, fields })
      expect(response.status).toBe(202)
      expect(await response.json()).toEqual({ messageId, isQueued: true })
    }
    const listed = await fetch(`${world.url}/api/chats/chat/queue`)
    expect(await listed.json()).toMatchObject({ queue: [{ id: 'second' }, { id: 'third' }] })
    world.letGo()
    // This one waits for its turn, and so for the others before it.
    await submit(world.url, { messageId: 'fourth', fields: { onBusy: 'queue' } })
    const { messages } = await loadChat(world.url)
    const asked = messages.flatMap(({ role, id }) => (role === 'user' ? [id] : []))
    expect(asked).toEqual(['question', 'second', 'third', 'fourth'])
  })

  test('a message that does not wait for its turn is answered at once in a free chat', async () => {
    await using server = await startTestServer()
    const response = await submit(server.url, { fields: { onBusy: 'queue', waitForTurn: false } })
    expect(await response.json()).toMatchObject({ messageId: 'question', position: expect.any(String) })
  })

  test('a message may interrupt: what was shown is kept, and the new answer begins', async () => {
    await using world = await startHeld()
    const response = await ask(world.url, { messageId: 'second', fields: { onBusy: 'interrupt' } })
    await using second = new SseBytes(response)
    await second.until('Wait')
    expect((await world.stream.rest()).toString()).toContain('Interrupted by a new message.')
    expect((await loadChat(world.url)).messages).toMatchObject([
      { id: 'question' },
      { metadata: { status: 'stopped' }, parts: [{ text: 'Wait', state: 'done' }] },
      { id: 'second' },
      { metadata: { status: 'streaming' } },
    ])
  })

  test('many messages at once in one chat are one run each, none lost and none twice', async () => {
    await using server = await startTestServer({ agents: [scriptedAgent('assistant', [say('Yes'), finish])] })
    const ids = Array.from({ length: 12 }, (_, index) => `question-${index}`)
    const asked = ids.map(messageId => ask(server.url, { messageId, fields: { onBusy: 'queue' } }))
    for (const response of await Promise.all(asked)) expect(await response.text()).toContain('[DONE]')
    const { messages } = await loadChat(server.url)
    const users = messages.filter(({ role }) => role === 'user').map(({ id }) => id)
    expect(users.toSorted()).toEqual(ids.toSorted())
    expect(messages.filter(({ metadata }) => metadata?.status === 'finished')).toHaveLength(12)
    expect(messages.map(({ role }) => role)).toEqual(ids.flatMap(() => ['user', 'assistant']))
  })

  // The run ends between the refused claim and the look at what is active.
  test.each(['reject', 'queue', 'interrupt'])(
    'a chat that has just become free is not busy (%s)',
    async onBusy => {
      const { agent, letGo } = heldAgent('assistant', { before: [say('Wait')] })
      let isSlow = false
      const wrapStore: TestServerOptions['wrapStore'] = store => ({
        ...store,
        runs: {
          ...store.runs,
          async active(chat) {
            if (!isSlow) return store.runs.active(chat)
            letGo()
            await first.rest()
            while ((await store.runs.active(chat)) !== undefined);
            return undefined
          },
        },
      })
      await using server = await startTestServer({ agents: [agent], wrapStore })
      await using first = new SseBytes(await ask(server.url))
      await first.until('Wait')
      isSlow = true
      const second = await ask(server.url, { messageId: 'second', fields: { onBusy } })
      expect(await second.text()).toContain('[DONE]')
    },
  )
})

describe('a message that is sent again', () => {
  test('attaches to its run while it goes on', async () => {
    await using world = await startHeld()
    await using again = new SseBytes(await ask(world.url))
    await again.until('Wait')
    world.letGo()
    expect((await again.rest()).toString()).toBe((await world.stream.rest()).toString())
    expect((await loadChat(world.url)).messages).toHaveLength(2)
  })

  test('gets the same stream after its end, byte for byte', async () => {
    await using server = await startTestServer()
    const first = await (await ask(server.url)).text()
    expect(await (await ask(server.url)).text()).toBe(first)
    expect((await loadChat(server.url)).messages).toHaveLength(2)
  })

  test('ten times at once is one run', async () => {
    await using server = await startTestServer()
    const responses = await Promise.all(Array.from({ length: 10 }, () => ask(server.url)))
    const streams = await Promise.all(responses.map(response => response.text()))
    expect(new Set(streams).size).toBe(1)
    expect((await loadChat(server.url)).messages).toHaveLength(2)
  })

  test('by our own client is told the same ids', async () => {
    await using server = await startTestServer()
    const first = await submit(server.url)
    expect(first.status).toBe(202)
    const told = await first.json()
    expect(told).toEqual({
      runId: expect.stringMatching(/^run_/),
      messageId: 'question',
      responseMessageId: expect.stringMatching(/^msg_/),
      position: expect.stringMatching(/^[0-9a-f]{16}\.0$/),
    })
    expect(await (await submit(server.url)).json()).toEqual(told)
  })

  test('with another text is refused, and the first stays', async () => {
    await using server = await startTestServer()
    await (await ask(server.url)).text()
    const before = await loadChat(server.url)
    for (const send of [ask, submit]) {
      const problem = await problemOf(await send(server.url, { text: 'Something else' }))
      expect(problem).toMatchObject({ status: 409, code: 'message-id-taken' })
    }
    expect(await loadChat(server.url)).toEqual(before)
  })

  test('under the id of an answer is refused', async () => {
    await using server = await startTestServer()
    await (await ask(server.url)).text()
    const messageId = (await loadChat(server.url)).messages[1]?.id ?? ''
    const problem = await problemOf(await ask(server.url, { messageId }))
    expect(problem).toMatchObject({ status: 409, code: 'message-id-taken' })
  })
})

/** A chat whose answer waits. */
async function startHeld() {
  const { agent, letGo } = heldAgent('assistant', { before: [say('Wait')] })
  const server = await startTestServer({ agents: [agent] })
  const stream = new SseBytes(await ask(server.url))
  await stream.until('Wait')
  return {
    server,
    url: server.url,
    stream,
    letGo,
    async [Symbol.asyncDispose]() {
      await stream[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    },
  }
}
