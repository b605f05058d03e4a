import { isChatId, isOwnerId } from '@throughline/protocol'
import { finish, heldAgent, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import { hookChannels, signedPost, writeToHook } from '@throughline/testing/channels/channel-server'
import { startWebhookReceiver } from '@throughline/testing/channels/webhook-receiver'
import { loadChat, sendJson, submit } from '@throughline/testing/http/chat-requests'
import { idOf } from '@throughline/testing/log/id-of'
import { startTestServer } from '@throughline/testing/server/test-server'
import { pino } from 'pino'
import { expect, test } from 'vitest'

const local = idOf(isOwnerId, 'local')
const chatId = idOf(isChatId, 'hook:room')
const small = { minChars: 10, maxChars: 60, preference: 'sentence', idleMs: 5 } as const
const sentences = Array.from({ length: 12 }, (_, index) => say(`This is sentence ${index}. `))
const many = scriptedAgent('assistant', [...sentences, finish])

/** What a server complains about. */
function complaints() {
  const lines: string[] = []
  const logger = pino({ level: 'error' }, { write: line => void lines.push(line) })
  return { lines, logger }
}

test('a chat that is removed while the receiver is silent sends nothing more, and a new one begins at once', async () => {
  let isSilent = true
  await using receiver = await startWebhookReceiver(() => (isSilent ? 'never' : 200))
  const { lines, logger } = complaints()
  await using server = await startTestServer({
    agents: [many],
    channels: hookChannels(receiver.url, small),
    logger,
  })
  await writeToHook(server.url, { id: 'm1' })
  await receiver.until(() => receiver.requests.length === 1)
  expect((await fetch(`${server.url}/api/chats/${chatId}`, { method: 'DELETE' })).status).toBe(204)
  const { length: before } = receiver.requests
  isSilent = false
  await writeToHook(server.url, { id: 'm2' })
  await receiver.until(shown => shown.at(-1)?.text === 'This is sentence 11.')

  const [first] = receiver.requests
  const oldRun = first?.key.split('.')[0] ?? ''
  expect(receiver.requests.slice(before).filter(({ key }) => key.startsWith(oldRun))).toEqual([])
  expect(receiver.shown.map(({ text }) => text).join(' ')).toContain('This is sentence 0.')
  expect(lines).toEqual([])
})

test('a chat that is removed while it is answered is gone, also from the outbox', async () => {
  const { agent } = heldAgent('assistant', { before: [say('This is the first sentence. '), say('And ')] })
  await using receiver = await startWebhookReceiver()
  const { lines, logger } = complaints()
  await using server = await startTestServer({
    agents: [agent],
    channels: hookChannels(receiver.url, small),
    logger,
  })
  await writeToHook(server.url)
  await receiver.until(shown => shown.length === 1)
  await fetch(`${server.url}/sessions/${chatId}`, { method: 'DELETE' })

  expect(await server.store.channelChats.get({ ownerId: local, chatId })).toBeUndefined()
  expect(await server.store.outbox.load({ ownerId: local, chatId })).toEqual([])
  expect(await server.store.channelChats.undelivered()).toEqual([])
  expect(lines).toEqual([])
})

test('a chat that is cleared is empty, but still held in its channel', async () => {
  await using receiver = await startWebhookReceiver()
  const hello = scriptedAgent('assistant', [say('Hello.'), finish])
  await using server = await startTestServer({ agents: [hello], channels: hookChannels(receiver.url) })
  await writeToHook(server.url, { id: 'm1' })
  await receiver.until(shown => shown.length === 1)
  await sendJson(`${server.url}/sessions/${chatId}/clear`, {})
  expect((await loadChat(server.url, chatId)).messages).toEqual([])

  // From a page first: nobody has written in the channel since.
  await submit(server.url, { chatId, messageId: 'from-the-page' })
  await receiver.until(shown => shown.length === 2)
  await writeToHook(server.url, { id: 'm2' })
  await receiver.until(shown => shown.length === 3)
  expect(receiver.requests).toHaveLength(3)
  expect((await loadChat(server.url, chatId)).messages.map(({ id }) => id)).toEqual([
    'from-the-page',
    expect.any(String),
    'in_m2',
    expect.any(String),
  ])
})

test('a chat that is cleared while a person has taken it over is still theirs', async () => {
  await using receiver = await startWebhookReceiver()
  const hello = scriptedAgent('assistant', [say('Hello.'), finish])
  await using server = await startTestServer({ agents: [hello], channels: hookChannels(receiver.url) })
  await writeToHook(server.url, { id: 'm1' })
  await receiver.until(shown => shown.length === 1)
  await sendJson(`${server.url}/api/chats/${chatId}/take-over`, { on: true, name: 'Ann' })
  await sendJson(`${server.url}/sessions/${chatId}/clear`, {})
  await writeToHook(server.url, { id: 'm2' })
  await sendJson(`${server.url}/api/chats/${chatId}/reply`, { text: 'Ann here.' })
  await receiver.until(shown => shown.length === 2)
  expect(receiver.shown[1]?.text).toBe('Ann here.')
})

test.each([
  ['deleted', (url: string) => fetch(`${url}/api/chats/${chatId}`, { method: 'DELETE' })],
  ['deleted as a session', (url: string) => fetch(`${url}/sessions/${chatId}`, { method: 'DELETE' })],
  ['cleared', (url: string) => sendJson(`${url}/sessions/${chatId}/clear`, {})],
])('a signed request that is sent again after its chat was %s is not answered again', async (_, remove) => {
  await using receiver = await startWebhookReceiver()
  const hello = scriptedAgent('assistant', [say('Hello.'), finish])
  await using server = await startTestServer({ agents: [hello], channels: hookChannels(receiver.url) })
  const send = signedPost({ id: 'm1', conversation: 'room', sender: { id: 'ada' }, text: 'Hello?' })
  expect((await send(server.url)).status).toBe(202)
  await receiver.until(shown => shown.length === 1)
  expect((await remove(server.url)).ok).toBe(true)
  for (let replay = 0; replay < 3; replay += 1) expect((await send(server.url)).status).toBe(202)

  // What is new in the same conversation is answered as ever.
  await writeToHook(server.url, { id: 'm2' })
  await receiver.until(shown => shown.length === 2)
  expect(receiver.shown.map(({ fields }) => fields['replyTo'])).toEqual(['m1', 'm2'])
  expect((await loadChat(server.url, chatId)).messages.map(({ id }) => id)).toEqual([
    'in_m2',
    expect.any(String),
  ])
})

test('a replay does not bring a deleted chat back', async () => {
  await using receiver = await startWebhookReceiver()
  await using server = await startTestServer({ channels: hookChannels(receiver.url) })
  const send = signedPost({ id: 'm1', conversation: 'room', sender: { id: 'ada' }, text: 'Hello?' })
  await send(server.url)
  await fetch(`${server.url}/api/chats/${chatId}`, { method: 'DELETE' })
  await send(server.url)
  expect(await server.store.chats.list(local, { limit: 10 })).toEqual([])
  expect(await server.store.runs.unfinished()).toEqual([])
})
