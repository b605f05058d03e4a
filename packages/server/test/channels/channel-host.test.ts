import type { Channel, Inbox } from '@throughline/channels'
import { logName } from '@throughline/log'
import { isChatId, isMessageId, isOwnerId, isRunId } from '@throughline/protocol'
import type { Run } from '@throughline/store'
import type { Store } from '@throughline/store/testing'
import { finish, heldScript, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import { hookChannels, writeToHook } from '@throughline/testing/channels/channel-server'
import { startWebhookReceiver } from '@throughline/testing/channels/webhook-receiver'
import { submit } from '@throughline/testing/http/chat-requests'
import { idOf } from '@throughline/testing/log/id-of'
import { startTestServer } from '@throughline/testing/server/test-server'
import { temporaryStore } from '@throughline/testing/store/temporary-store'
import { until } from '@throughline/testing/waits/until'
import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { beginAnswer } from '../../src/engine/begin-answer.ts'
import { openRunLog } from '../../src/engine/run-log.ts'
import { type ServerOptions, startServer } from '../../src/start-server.ts'

const local = idOf(isOwnerId, 'local')
const chatId = idOf(isChatId, 'hook:room')
const at = new Date(0).toISOString()
const hello = scriptedAgent('assistant', [say('Hello.'), finish])

/** A server on a store that outlives it. */
function startOn(store: Store, options: Partial<ServerOptions> = {}) {
  return startServer({ store, agents: [hello], logger: pino({ level: 'silent' }), port: 0, ...options })
}

/** A run that a process has begun in a channel chat, and never ended: it died. */
async function leaveRun(store: Store, said: string): Promise<void> {
  const userMessageId = idOf(isMessageId, 'in_m1')
  const run: Run = {
    id: idOf(isRunId, 'run_dead'),
    ownerId: local,
    chatId,
    agent: 'assistant',
    userMessageId,
    answerId: idOf(isMessageId, 'msg_dead'),
    afterSeq: 0,
    startedAt: at,
    status: 'running',
    kind: 'answer',
  }
  const message = { id: userMessageId, role: 'user', parts: [{ type: 'text', text: 'Hello?' }] } as const
  const userMessage = { ...message, parts: [...message.parts] }
  const chat = { id: chatId, title: '', createdAt: at, updatedAt: at }
  await store.channelChats.tie(local, chat, { channel: 'hook', target: 'room' })
  await store.runs.claim(run, { chat, userMessage: { message: userMessage, runId: run.id, seq: undefined } })
  const runLog = await openRunLog(store.log, run)
  await beginAnswer(runLog, { run, agent: hello, userMessage })
  const emit = (chunk: Parameters<typeof runLog.emit>[0]['chunk']) =>
    runLog.emit({ runId: run.id, messageId: run.answerId, chunk })
  await emit({ type: 'text-start', id: 't' })
  await emit({ type: 'text-delta', id: 't', delta: said })
  await runLog.flush()
}

function isDelivered(store: Store): Promise<boolean> {
  return store.channelChats.undelivered().then(chats => chats.length === 0)
}

describe('at its start', () => {
  test('a server ends the runs of a dead process, and delivers what they had said', async () => {
    await using receiver = await startWebhookReceiver()
    await using context = await temporaryStore()
    await leaveRun(context.store, 'I was about to')
    await using server = await startOn(context.store, { channels: hookChannels(receiver.url) })
    await receiver.until(shown => shown.length === 2)
    expect(receiver.shown.map(({ text }) => text)).toEqual(['I was about to', '⚠️ The server was restarted.'])
    expect(receiver.shown[0]).toMatchObject({
      key: expect.stringMatching(/^run_dead\.0\./),
      fields: { replyTo: 'm1' },
    })
    expect(server.url).toContain('127.0.0.1')
  })

  test('what was delivered is not delivered again', async () => {
    await using receiver = await startWebhookReceiver()
    await using context = await temporaryStore()
    const channels = hookChannels(receiver.url)
    for (const id of ['m1', 'm2', 'm3']) {
      await using server = await startOn(context.store, { channels })
      await writeToHook(server.url, { id })
      await receiver.until(shown => shown.length === Number(id.slice(1)))
      await until(() => isDelivered(context.store))
    }
    expect(receiver.requests).toHaveLength(3)
  })

  test('a channel that names an agent that is not there, or has no room for a block, is refused', async () => {
    const [[, installed] = []] = hookChannels('http://127.0.0.1:9')
    if (installed === undefined) throw new Error('There is no channel.')
    const start = (change: object) =>
      startTestServer({ channels: new Map([['crm', { ...installed, ...change }]]) })
    await expect(start({ agent: 'nobody' })).rejects.toThrow(
      'Channel crm names the agent "nobody", which does not exist. There are: assistant.',
    )
    await expect(start({ delivery: { maxChars: 39 } })).rejects.toThrow('maxChars has to be at least 40')
    await expect(start({ channel: { ...installed.channel, maxChars: 10 } })).rejects.toThrow('at least 40')
  })
})

test('a run that was started from a page in a channel chat is delivered too', async () => {
  await using receiver = await startWebhookReceiver()
  await using server = await startTestServer({ agents: [hello], channels: hookChannels(receiver.url) })
  await writeToHook(server.url)
  await receiver.until(shown => shown.length === 1)
  await submit(server.url, { chatId, messageId: 'from-the-page' })
  await receiver.until(shown => shown.length === 2)
  expect(receiver.shown[1]?.fields).toMatchObject({ text: 'Hello.', conversation: 'room' })
  expect(receiver.shown[1]?.fields).not.toHaveProperty('replyTo')
})

test('a chat that is in no channel is not delivered', async () => {
  await using receiver = await startWebhookReceiver()
  await using server = await startTestServer({ agents: [hello], channels: hookChannels(receiver.url) })
  await submit(server.url, { chatId: 'page' })
  await writeToHook(server.url)
  await receiver.until(shown => shown.length === 1)
  expect(receiver.requests.map(({ conversation }) => conversation)).toEqual(['room'])
})

test('a new message interrupts the answer to the one before: what was said stays, and then it is answered', async () => {
  const { script } = heldScript({ before: [say('First, let me say ')] })
  const agent = scriptedAgent('assistant', request =>
    request.messages.at(-1)?.id === 'in_m1' && typeof script === 'function'
      ? script(request)
      : [say('Second.'), finish],
  )
  await using receiver = await startWebhookReceiver()
  await using server = await startTestServer({
    agents: [agent],
    channels: hookChannels(receiver.url, { idleMs: 5, minChars: 5, maxChars: 60, preference: 'sentence' }),
  })
  await writeToHook(server.url, { id: 'm1' })
  expect((await writeToHook(server.url, { id: 'm2', text: 'No, wait.' })).status).toBe(202)
  await receiver.until(shown => shown.length === 2)
  expect(receiver.shown.map(({ text }) => text)).toEqual(['First, let me say', 'Second.'])
  // The first message again, as platforms do, is the first message still.
  expect((await writeToHook(server.url, { id: 'm1' })).status).toBe(202)
  expect(await server.store.runs.active({ ownerId: local, chatId })).toBeUndefined()
})

describe('a channel that is no longer configured', () => {
  test('holds nobody up and loses nothing: everything goes out when it is back', async () => {
    await using receiver = await startWebhookReceiver()
    await using context = await temporaryStore()
    await leaveRun(context.store, 'Before.')
    {
      await using server = await startOn(context.store, { channels: hookChannels('http://127.0.0.1:9') })
      await server.close()
    }
    {
      const [[, installed] = []] = hookChannels(receiver.url)
      const others = new Map(installed && [['other', installed]])
      await using server = await startOn(context.store, { channels: others })
      await submit(server.url, { chatId, messageId: 'meanwhile' })
      await until(async () => (await context.store.runs.active({ ownerId: local, chatId })) === undefined)
      expect(receiver.requests).toEqual([])
    }
    await using server = await startOn(context.store, { channels: hookChannels(receiver.url) })
    await receiver.until(shown => shown.length === 3)
    expect(receiver.shown.map(({ text }) => text)).toEqual([
      'Before.',
      '⚠️ The server was restarted.',
      'Hello.',
    ])
    expect(server.url).not.toBe('')
  })
})

describe('closing', () => {
  test('does not wait for a receiver that is silent, and the next server sends what that one could not', async () => {
    await using silent = await startWebhookReceiver(() => 'never')
    await using receiver = await startWebhookReceiver()
    await using context = await temporaryStore()
    const server = await startOn(context.store, { channels: hookChannels(silent.url, { idleMs: 5 }) })
    await writeToHook(server.url)
    await silent.until(() => silent.requests.length === 1)
    await server.close()
    await using _ = await startOn(context.store, { channels: hookChannels(receiver.url) })
    await receiver.until(shown => shown.length === 1)
    expect(receiver.shown[0]).toMatchObject({ text: 'Hello.', key: silent.requests[0]?.key })
  })

  test('does not wait for one that asks to be tried later', async () => {
    await using busy = await startWebhookReceiver(() => 503)
    await using server = await startTestServer({
      agents: [hello],
      channels: hookChannels(busy.url, { idleMs: 5 }),
    })
    await writeToHook(server.url)
    await busy.until(() => busy.requests.length >= 2)
    await server.close()
    expect(await isDelivered(server.store)).toBe(false)
  })

  test('does not wait for a channel that goes on asking its platform', async () => {
    const polled = Promise.withResolvers<void>()
    const channel: Channel = {
      kind: 'deaf',
      maxChars: 100,
      send: async () => 'sent',
      poll: () => {
        polled.resolve()
        return new Promise(() => {})
      },
    }
    const server = await startTestServer({ channels: new Map([['deaf', { channel, ownerId: local }]]) })
    await polled.promise
    await server[Symbol.asyncDispose]()
  })
})

describe('a channel that asks its platform', () => {
  test('is started again when it breaks off, and what it brings is answered', async () => {
    const sent = Promise.withResolvers<string>()
    let attempts = 0
    const poll = async (inbox: Inbox, signal: AbortSignal) => {
      attempts += 1
      if (attempts === 1) throw new Error('The platform is gone.')
      await inbox({
        id: '1',
        conversation: 'c',
        target: 't',
        senderId: 's',
        senderName: 'S',
        text: 'Hello?',
      })
      await new Promise(resolve => signal.addEventListener('abort', resolve))
    }
    const channel: Channel = {
      kind: 'polled',
      maxChars: 100,
      async send({ message }) {
        sent.resolve(message.text)
        return 'sent'
      },
      poll,
    }
    await using server = await startTestServer({
      agents: [hello],
      channels: new Map([['polled', { channel, ownerId: local }]]),
    })
    expect(await sent.promise).toBe('Hello.')
    expect(server.url).not.toBe('')
  })
})

test('a store that fails while a chat is delivered is waited for', async () => {
  await using receiver = await startWebhookReceiver()
  let failures = 1
  await using server = await startTestServer({
    agents: [hello],
    channels: hookChannels(receiver.url, { idleMs: 5 }),
    wrapStore: store => ({
      ...store,
      outbox: {
        ...store.outbox,
        add: (...item) => {
          failures -= 1
          return failures >= 0 ? Promise.reject(new Error('The disk is full.')) : store.outbox.add(...item)
        },
      },
    }),
  })
  await writeToHook(server.url)
  await receiver.until(shown => shown.length === 1)
  await until(() => isDelivered(server.store))
  expect(receiver.requests.map(({ text }) => text)).toEqual(['Hello.'])
})

test('when all is delivered, the chat says so: its cursor stands at the end of its log', async () => {
  await using receiver = await startWebhookReceiver()
  await using server = await startTestServer({ agents: [hello], channels: hookChannels(receiver.url) })
  await writeToHook(server.url)
  await until(() => isDelivered(server.store))
  const end = await server.store.log.open(logName({ ownerId: local, chatId }))
  expect(await server.store.channelChats.get({ ownerId: local, chatId })).toMatchObject({ delivered: end })
  expect(await server.store.outbox.load({ ownerId: local, chatId })).toEqual([])
})
