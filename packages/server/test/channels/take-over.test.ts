import { defaultLimits } from '@throughline/agents'
import { isChatId, textOf } from '@throughline/protocol'
import { finish, heldScript, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import { hookChannels, writeToHook } from '@throughline/testing/channels/channel-server'
import { startWebhookReceiver } from '@throughline/testing/channels/webhook-receiver'
import { loadChat, problemOf, sendJson } from '@throughline/testing/http/chat-requests'
import { idOf } from '@throughline/testing/log/id-of'
import { ownerIdOf, startTestServer, type TestServerOptions } from '@throughline/testing/server/test-server'
import { describe, expect, test } from 'vitest'
import { agentSystem } from '../../src/who/agent-system.ts'

const chatId = 'hook:room'

/** A server whose agent repeats what it was asked, and a receiver of what it sends. */
async function startDesk(options: TestServerOptions = {}) {
  const receiver = await startWebhookReceiver()
  const echo = scriptedAgent('assistant', ({ messages }) => {
    const question = messages.at(-1)
    return [say(`You said: ${question && textOf(question)}`), finish]
  })
  const server = await startTestServer({
    agents: [echo],
    channels: hookChannels(receiver.url, { idleMs: 5 }),
    ...options,
  })
  const post = (path: string, body: unknown) => sendJson(`${server.url}/api/chats/${chatId}/${path}`, body)
  return {
    server,
    receiver,
    takeOver: (on: boolean, name?: string) => post('take-over', { on, name }),
    reply: (text: string) => post('reply', { text }),
    write: (id: string, text: string) => writeToHook(server.url, { id, text }),
    texts: () => receiver.shown.map(({ text }) => text),
    shows: (count: number) => receiver.until(shown => shown.length >= count),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await receiver[Symbol.asyncDispose]()
    },
  }
}

test('in a chat that was taken over a message waits for the person, who answers it in place of the agent', async () => {
  await using desk = await startDesk()
  await desk.write('m1', 'Hello?')
  await desk.shows(1)
  expect(await (await desk.takeOver(true, 'Ann')).json()).toEqual({ takenOverBy: 'Ann' })
  await desk.write('m2', 'Is anybody there?')
  const response = await desk.reply('Yes, I am Ann.')
  expect(response.status).toBe(202)
  await desk.shows(2)

  expect(desk.texts()).toEqual(['You said: Hello?', 'Yes, I am Ann.'])
  const { messageId } = await response.json()
  const { messages } = await loadChat(desk.server.url, chatId)
  expect(messages.at(-1)).toMatchObject({
    id: messageId,
    metadata: {
      senderName: 'Operator',
      agentUsed: 'operator',
      status: 'finished',
      communicationType: 'user-to-user',
    },
  })
  expect(messages.at(-2)).toMatchObject({ metadata: { communicationType: 'user-to-user' } })
  expect(desk.receiver.shown[1]?.fields).toMatchObject({ replyTo: 'm2' })
  const chat = await (await fetch(`${desk.server.url}/api/chats/${chatId}`)).json()
  expect(chat).toMatchObject({ channel: 'hook', takenOverBy: 'Ann' })
})

test('what a person says without a question is one more message', async () => {
  await using desk = await startDesk()
  await desk.write('m1', 'Hello?')
  await desk.shows(1)
  await desk.takeOver(true)
  expect((await desk.reply('One more thing.')).status).toBe(202)
  expect((await desk.reply('And another.')).status).toBe(202)
  await desk.shows(3)

  expect(desk.texts()).toEqual(['You said: Hello?', 'One more thing.', 'And another.'])
  const { messages } = await loadChat(desk.server.url, chatId)
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'assistant', 'assistant'])
})

test('everything a person says is said, however fast they write', async () => {
  await using desk = await startDesk()
  await desk.write('m1', 'Hello?')
  await desk.shows(1)
  await desk.takeOver(true)
  await desk.write('m2', 'Anybody?')
  const lines = Array.from({ length: 8 }, (_, index) => `Line ${index}.`)
  const statuses = await Promise.all(lines.map(async line => (await desk.reply(line)).status))
  expect(statuses).toEqual(lines.map(() => 202))
  await desk.shows(1 + lines.length)

  expect(desk.texts().slice(1).toSorted()).toEqual(lines)
})

test('everything is said also while messages come in and interrupt', async () => {
  await using desk = await startDesk()
  await desk.write('m0', 'Hello?')
  await desk.shows(1)
  await desk.takeOver(true)
  const lines = Array.from({ length: 10 }, (_, index) => `Line ${index}.`)
  await Promise.all(
    lines.map(async (line, index) => {
      await desk.write(`m${index + 1}`, `Question ${index}`)
      expect((await desk.reply(line)).status).toBe(202)
    }),
  )
  await desk.receiver.until(shown => lines.every(line => shown.some(({ text }) => text === line)))

  expect(desk.texts().slice(1).toSorted()).toEqual(lines)
})

test('a person who speaks while the agent does interrupts it', async () => {
  const { script } = heldScript({ before: [say('The agent has much to say. ')] })
  await using desk = await startDesk({ agents: [scriptedAgent('assistant', script)] })
  await desk.write('m1', 'Hello?')
  expect((await desk.reply('Let me.')).status).toBe(202)
  await desk.shows(2)

  expect(desk.texts()).toEqual(['The agent has much to say.', 'Let me.'])
  const { messages } = await loadChat(desk.server.url, chatId)
  expect(messages.map(({ metadata }) => metadata?.status)).toEqual([undefined, 'stopped', 'finished'])
})

describe('giving a chat back', () => {
  test('lets the agent answer what comes in', async () => {
    await using desk = await startDesk()
    await desk.write('m1', 'One')
    await desk.shows(1)
    await desk.takeOver(true)
    expect(await (await desk.takeOver(false)).json()).toEqual({})
    await desk.write('m2', 'Two')
    await desk.shows(2)
    expect(desk.texts()).toEqual(['You said: One', 'You said: Two'])
  })

  test('lets it answer the message that waits for the person, too', async () => {
    await using desk = await startDesk()
    await desk.write('m1', 'One')
    await desk.shows(1)
    await desk.takeOver(true)
    await desk.write('m2', 'Two')
    await desk.takeOver(false)
    await desk.shows(2)
    expect(desk.texts()).toEqual(['You said: One', 'You said: Two'])
    const { messages } = await loadChat(desk.server.url, chatId)
    expect(messages.at(-1)?.metadata).toMatchObject({ agentUsed: 'assistant', status: 'finished' })
  })

  test('a second time changes nothing', async () => {
    await using desk = await startDesk()
    await desk.write('m1', 'One')
    await desk.shows(1)
    expect((await desk.takeOver(false)).status).toBe(200)
    expect((await desk.takeOver(false)).status).toBe(200)
    expect(desk.receiver.requests).toHaveLength(1)
  })
})

test('two messages in a row wait as one: the person answers the newer', async () => {
  await using desk = await startDesk()
  await desk.write('m1', 'One')
  await desk.shows(1)
  await desk.takeOver(true)
  await desk.write('m2', 'Two')
  await desk.write('m3', 'Three')
  await desk.reply('To three.')
  await desk.shows(2)

  expect(desk.texts()).toEqual(['You said: One', 'To three.'])
  expect(desk.receiver.shown[1]?.fields).toMatchObject({ replyTo: 'm3' })
})

test('a message that waits longer than a run may take is told so, and what the person says then is one more', async () => {
  const system = agentSystem({ limits: { ...defaultLimits, maxRunMs: 1_500 } })
  await using desk = await startDesk({ system })
  await desk.write('m1', 'One')
  await desk.shows(1)
  await desk.takeOver(true)
  await desk.write('m2', 'Two')
  await desk.shows(2)
  await desk.reply('Sorry.')
  await desk.shows(3)

  expect(desk.texts().slice(1)).toEqual(['⚠️ The answer took too long.', 'Sorry.'])
})

describe('what cannot be', () => {
  const paths = [
    ['take-over', { on: true }],
    ['reply', { text: 'Hi.' }],
  ] as const

  test.each(paths)('%s in a chat that is in no channel is a conflict', async (path, body) => {
    await using desk = await startDesk()
    await sendJson(`${desk.server.url}/api/chats`, { id: 'page' })
    const response = await sendJson(`${desk.server.url}/api/chats/page/${path}`, body)
    expect(await problemOf(response)).toMatchObject({ status: 409, code: 'not-in-a-channel' })
  })

  test.each(paths)('%s in a chat that is not there, or another owner’s, is not found', async (path, body) => {
    const tokens = new Map(['local', 'bob'].map(name => [`token-${name}`, ownerIdOf(name)]))
    await using desk = await startDesk({ tokens })
    await desk.write('m1', 'Hello?')
    await desk.shows(1)
    const headers = { authorization: 'Bearer token-bob' }
    const answers = await Promise.all(
      [chatId, 'hook:nowhere'].map(async id => {
        const response = await sendJson(`${desk.server.url}/api/chats/${id}/${path}`, body, { headers })
        return { ...(await problemOf(response)), detail: '' }
      }),
    )
    expect(answers[0]).toMatchObject({ status: 404, code: 'chat-not-found' })
    expect(answers[0]).toEqual(answers[1])
    expect(desk.receiver.requests).toHaveLength(1)
  })

  test('a reply in a chat in which nobody has written is a conflict', async () => {
    await using desk = await startDesk()
    const at = new Date().toISOString()
    const chat = { id: idOf(isChatId, chatId), title: '', createdAt: at, updatedAt: at }
    await desk.server.store.channelChats.tie(ownerIdOf('local'), chat, { channel: 'hook', target: 'room' })
    expect(await problemOf(await desk.reply('Hi.'))).toMatchObject({ status: 409, code: 'nobody-to-answer' })
  })

  test.each([{ text: '' }, { text: '  ' }, { text: 'x'.repeat(100_001) }, {}])(
    'a reply without words, or with too many, is a bad request: %#',
    async body => {
      await using desk = await startDesk()
      await desk.write('m1', 'Hello?')
      await desk.shows(1)
      const response = await sendJson(`${desk.server.url}/api/chats/${chatId}/reply`, body)
      expect(await problemOf(response)).toMatchObject({ status: 400, code: 'invalid-body' })
    },
  )
})

test('an agent cannot be called as the people are who answer in place of agents', async () => {
  const agents = [scriptedAgent('operator', [finish])]
  await expect(startTestServer({ agents })).rejects.toThrow('No agent can be called "operator"')
})
