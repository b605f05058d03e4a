import { isChatId } from '@throughline/protocol'
import { heldAgent, say } from '@throughline/testing/agent/scripted-agent'
import { asking, saying, scriptedModel } from '@throughline/testing/agent/scripted-model'
import {
  answerTo,
  expectWhole,
  idsOf,
  loadAll,
  otherAnswerTo,
  shownIds,
} from '@throughline/testing/http/branch-requests'
import { ask, loadChat, problemOf, sendJson, submit } from '@throughline/testing/http/chat-requests'
import { SseBytes } from '@throughline/testing/http/sse-bytes'
import { idOf } from '@throughline/testing/log/id-of'
import { startDelegation, subAgent } from '@throughline/testing/server/delegating-server'
import { defaultAgents, ownerIdOf, startTestServer } from '@throughline/testing/server/test-server'
import { startTwoTurns } from '@throughline/testing/server/two-turns'
import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { startServer } from '../../src/start-server.ts'

describe('a message that is deleted (R51)', () => {
  test('goes with its answers, for everybody who follows the chat and for who comes later', async () => {
    await using world = await startTwoTurns()
    const { url, server, a2 } = world
    const { position } = await loadChat(url)
    await using log = new SseBytes(await fetch(`${url}/api/chats/chat/log?after=${position}`))
    const response = await remove(url, 'q1')
    expect(response.status).toBe(200)
    const told = await response.json()
    await log.until(`id: ${told.position}\n`)
    expect(log.bytes.toString()).toContain('"type":"data-rearrange"')
    expect(await shownIds(url)).toEqual(['q2', a2])
    await expectWhole(server)
  })

  test('is nothing that an agent hears of', async () => {
    await using world = await startTwoTurns()
    await remove(world.url, 'q1')
    await answerTo(world.url, { messageId: 'q3' })
    expect(world.given.at(-1)).toEqual(['q2', world.a2, 'q3'])
    await expectWhole(world.server)
  })

  test('goes alone when it is an answer', async () => {
    await using world = await startTwoTurns()
    await remove(world.url, world.a1)
    expect(await shownIds(world.url)).toEqual(['q1', 'q2', world.a2])
    await expectWhole(world.server)
  })

  test('leaves the other versions where they are', async () => {
    await using world = await startTwoTurns()
    const other = await otherAnswerTo(world.url, { messageId: 'q2' })
    await remove(world.url, other)
    expect(await shownIds(world.url)).toEqual(['q1', world.a1, 'q2', world.a2])
    const edited = await answerTo(world.url, { messageId: 'q1b', fields: { after: '' } })
    await remove(world.url, 'q1')
    // What followed it begins the chat now, as another version of its first message.
    expect(idsOf(await loadAll(world.url))).toEqual(['q2', world.a2, 'q1b', edited])
    expect(await shownIds(world.url)).toEqual(['q1b', edited])
    await expectWhole(world.server)
  })

  test('takes what sub-agents did for it along', async () => {
    const model = scriptedModel({
      master: [[asking('helper')], [saying('Done.')]],
      helper: [[saying('Here.')]],
    })
    await using server = await startDelegation({ model, subAgents: [subAgent('helper')] })
    await (await ask(server.url)).text()
    expect((await loadChat(server.url)).messages).toHaveLength(3)
    await remove(server.url, 'question')
    expect((await loadChat(server.url)).messages).toEqual([])
    await expectWhole(server)
  })

  test('is not answered again when its request comes once more', async () => {
    await using world = await startTwoTurns()
    await remove(world.url, 'q2')
    const again = await submit(world.url, { messageId: 'q2' })
    expect(await problemOf(again)).toMatchObject({ status: 409, code: 'message-deleted' })
    expect(world.given).toHaveLength(2)
  })

  test.each([
    ['unknown', 'nobody'],
    ['no id', 'a%20b'],
  ])('must be there: %s', async (_, messageId) => {
    await using world = await startTwoTurns()
    const problem = { status: 404, code: 'message-not-found' }
    expect(await problemOf(await remove(world.url, messageId))).toMatchObject(problem)
    await remove(world.url, 'q2')
    expect(await problemOf(await remove(world.url, 'q2'))).toMatchObject(problem)
    expect(await problemOf(await remove(world.url, 'q1', 'nowhere'))).toMatchObject({
      code: 'chat-not-found',
    })
  })
})

describe('a message that is moved (R51)', () => {
  test('stands with its answers where it was put, for everybody and for agents', async () => {
    await using world = await startTwoTurns()
    const { url, server, a1, a2 } = world
    expect((await move(url, 'q2', '')).status).toBe(200)
    expect(await shownIds(url)).toEqual(['q2', a2, 'q1', a1])
    await expectWhole(server)
    await move(url, 'q2', 'q1')
    expect(await shownIds(url)).toEqual(['q1', a1, 'q2', a2])
    await move(url, 'q1', a2)
    await answerTo(url, { messageId: 'q3' })
    expect(world.given.at(-1)).toEqual(['q2', a2, 'q1', a1, 'q3'])
    await expectWhole(server)
  })

  test.each([
    ['an answer', 'a1', '', 'not-a-user-message'],
    ['behind itself', 'q1', 'q1', 'unknown-message'],
    ['behind nobody', 'q1', 'nobody', 'unknown-message'],
  ])('is refused: %s', async (_, messageId, after, code) => {
    await using world = await startTwoTurns()
    const id = messageId === 'a1' ? world.a1 : messageId
    expect(await problemOf(await move(world.url, id, after))).toMatchObject({ status: 400, code })
    expect(await shownIds(world.url)).toEqual(['q1', world.a1, 'q2', world.a2])
  })
})

describe('what messages say about themselves (R51)', () => {
  test('is added to, of many at once', async () => {
    await using world = await startTwoTurns()
    const { url, server, a1 } = world
    const before = await loadAll(url)
    const messages = [
      { id: 'q1', metadata: { stars: 3, tags: ['a'] } },
      { id: a1, metadata: { stars: 5 } },
    ]
    expect((await describeAll(url, messages)).status).toBe(200)
    await describeAll(url, [{ id: 'q1', metadata: { tags: ['b'] } }])
    const after = await loadAll(url)
    expect(after[0]?.metadata).toEqual({ ...before[0]?.metadata, stars: 3, tags: ['b'] })
    expect(after[1]?.metadata).toEqual({ ...before[1]?.metadata, stars: 5 })
    expect(after.slice(2)).toEqual(before.slice(2))
    expect(after.map(({ parts }) => parts)).toEqual(before.map(({ parts }) => parts))
    await expectWhole(server)
    const inline = await fetch(`${url}/api/chats/chat/messages?subAgents=inline`)
    expect((await inline.json()).messages).toEqual(after)
  })

  test('changes for all of them or for none', async () => {
    await using world = await startTwoTurns()
    const before = await loadAll(world.url)
    const one = { id: 'q1', metadata: { stars: 3 } }
    const other = { id: 'nobody', metadata: { stars: 3 } }
    const unknown = await problemOf(await describeAll(world.url, [one, other]))
    expect(unknown).toMatchObject({ status: 404, code: 'message-not-found' })
    for (const metadata of [
      { status: 'failed' },
      { senderName: 'Eve' },
      { channel: 'x' },
      { previousMessageId: '' },
    ])
      expect(await problemOf(await describeAll(world.url, [one, { id: 'q2', metadata }]))).toMatchObject({
        status: 400,
        code: 'fixed-metadata',
      })
    expect(await problemOf(await describeAll(world.url, []))).toMatchObject({ code: 'invalid-body' })
    expect(await loadAll(world.url)).toEqual(before)
  })
})

test('while an answer is being made, nothing can be changed; afterwards it can', async () => {
  const { agent, letGo } = heldAgent('assistant', { before: [say('Wait.')] })
  await using server = await startTestServer({ agents: [agent] })
  await using stream = new SseBytes(await ask(server.url))
  await stream.until('Wait.')
  const busy = { status: 409, code: 'chat-busy' }
  expect(await problemOf(await remove(server.url, 'question'))).toMatchObject(busy)
  expect(await problemOf(await move(server.url, 'question', ''))).toMatchObject(busy)
  expect(await problemOf(await describeAll(server.url, [{ id: 'question', metadata: {} }]))).toMatchObject(
    busy,
  )
  letGo()
  await stream.rest()
  expect((await remove(server.url, 'question')).status).toBe(200)
})

test('changes and messages that come at the same time are done one after the other', async () => {
  await using world = await startTwoTurns()
  const { url, server } = world
  const stars = Array.from({ length: 8 }, (_, index) =>
    describeAll(url, [{ id: 'q1', metadata: { [`s${index}`]: 1 } }]),
  )
  const [sent, ...changed] = await Promise.all([submit(url, { messageId: 'q3' }), ...stars])
  expect(sent.status).toBe(202)
  const statuses = changed.map(({ status }) => status)
  // Those that came while the answer was being made were told so.
  expect(statuses.every(status => status === 200 || status === 409)).toBe(true)
  await (await fetch(`${url}/api/chat/chat/stream`)).text()
  const first = (await loadAll(url))[0]
  const noted = Object.keys(first?.metadata ?? {}).filter(key => /^s\d$/.test(key))
  expect(noted).toHaveLength(statuses.filter(status => status === 200).length)
  await expectWhole(server)
})

test('a change that a process wrote and did not save is saved by the next one', async () => {
  const died = Promise.withResolvers<never>()
  died.promise.catch(() => undefined)
  await using server = await startTestServer({
    wrapStore: store => ({
      ...store,
      runs: {
        ...store.runs,
        end: (run, end) => (run.kind === 'change' ? died.promise : store.runs.end(run, end)),
      },
    }),
  })
  const { url, store } = server
  const first = await answerTo(url, { messageId: 'q1' })
  const second = await answerTo(url, { messageId: 'q2' })
  const { position } = await loadChat(url)
  await using log = new SseBytes(await fetch(`${url}/api/chats/chat/log?after=${position}`))
  // Nobody will ever hear what becomes of this request.
  void remove(url, 'q1').catch(() => undefined)
  await log.until('data-rearrange')
  const [owner, chat] = [ownerIdOf('local'), idOf(isChatId, 'chat')]
  const rows = async () =>
    (await store.messages.load({ ownerId: owner, chatId: chat }))?.messages.map(({ message }) => message.id)
  expect(await rows()).toEqual(['q1', first, 'q2', second])
  // Who reads the chat meanwhile is shown what the log says.
  expect(await shownIds(url)).toEqual(['q2', second])
  await using next = await startServer({
    store,
    agents: defaultAgents(),
    logger: pino({ level: 'silent' }),
    port: 0,
  })
  expect(await rows()).toEqual(['q2', second])
  await expectWhole({ url: next.url, store })
  await answerTo(next.url, { messageId: 'q3' })
  died.reject(new Error('It is gone.'))
})

test('a stock client that comes back to the place of a change finds nothing left to wait for', async () => {
  await using world = await startTwoTurns()
  const { url } = world
  const { position } = await (await remove(url, 'q1')).json()
  for (const headers of [{ 'last-event-id': position }, undefined]) {
    const query = headers === undefined ? `?after=${position}` : ''
    const response = await fetch(`${url}/api/chat/chat/stream${query}`, headers && { headers })
    expect(await response.text()).toMatch(/^(retry: 1000\n\ndata: \[DONE\]\n\n)?$/)
  }
  expect((await fetch(`${url}/api/chat/chat/stream`)).status).toBe(204)
})

function remove(url: string, messageId: string, chatId = 'chat'): Promise<Response> {
  return fetch(`${url}/api/chats/${chatId}/messages/${messageId}`, { method: 'DELETE' })
}

function move(url: string, messageId: string, after: string): Promise<Response> {
  return sendJson(`${url}/api/chats/chat/messages/${messageId}/move`, { after })
}

function describeAll(url: string, messages: readonly { id: string; metadata: object }[]): Promise<Response> {
  return sendJson(`${url}/api/chats/chat/messages`, { messages }, { method: 'PATCH' })
}
