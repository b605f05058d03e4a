import type { Message } from '@throughline/protocol'
import { asking, saying, scriptedModel } from '@throughline/testing/agent/scripted-model'
import { hookChannels, writeToHook } from '@throughline/testing/channels/channel-server'
import { startWebhookReceiver } from '@throughline/testing/channels/webhook-receiver'
import { ask, loadAnswer, loadChat, submit, userMessage } from '@throughline/testing/http/chat-requests'
import { entryWith, messagesBy, readLog } from '@throughline/testing/http/read-log'
import { startDelegation, subAgent } from '@throughline/testing/server/delegating-server'
import { ownerIdOf, startTestServer } from '@throughline/testing/server/test-server'
import { describe, expect, test } from 'vitest'

describe('an answer says in its first chunk, and in what is saved (R21),', () => {
  test('to whom it is addressed', async () => {
    await using server = await startTestServer()
    expect(await savedNames(server.url, { senderName: 'Ada' })).toEqual([
      { senderName: 'Ada', receiverName: 'The assistant' },
      { senderName: 'The assistant', receiverName: 'Ada' },
    ])
  })

  test.each([{}, { senderName: '' }])('the account, when the person gave no name (%j)', async metadata => {
    const token = 'the-token-of-ada-lovelace'
    await using server = await startTestServer({ tokens: new Map([[token, ownerIdOf('ada')]]) })
    const headers = { authorization: `Bearer ${token}` }
    const fields = { messages: [{ ...userMessage(), metadata }] }
    await (await ask(server.url, { fields, headers })).text()
    const response = await fetch(`${server.url}/api/chats/chat/messages`, { headers })
    const [question, answer] = (await response.json()).messages
    expect(question.metadata).not.toHaveProperty('senderName')
    expect(answer.metadata).toMatchObject({ receiverName: 'ada' })
  })

  test('the id under which it was asked for, whether or not it could have that one', async () => {
    await using server = await startTestServer()
    const originals = async (messageId: string, expected?: string) => {
      const fields = expected === undefined ? {} : { expected_assistant_message_id: expected }
      await (await ask(server.url, { messageId, fields })).text()
      const { id, metadata } = await loadAnswer(server.url)
      const { chunk } = entryWith(await readLog(server.url), 'start', { messageId: id })
      expect(chunk).toMatchObject({ messageMetadata: { originalMessageId: metadata?.originalMessageId } })
      return { id, original: metadata?.originalMessageId }
    }
    const free = await originals('first', 'mine')
    expect(free).toEqual({ id: 'mine', original: 'mine' })
    const taken = await originals('second', 'mine')
    expect(taken).toEqual({ id: expect.stringMatching(/^msg_/), original: 'mine' })
    const malformed = await originals('third', 'not an id')
    expect(malformed).toEqual({ id: expect.stringMatching(/^msg_/), original: 'not an id' })
    for (const proposal of [undefined, '', 'x'.repeat(129)]) {
      const { id, original } = await originals(`none-${proposal?.length}`, proposal)
      expect(original).toBe(id)
    }
  })
})

test("a sub-agent's message has all of it, too", async () => {
  const model = scriptedModel({
    master: [[asking('helper')], [saying('Done.')]],
    helper: [[saying('Here.')]],
  })
  await using server = await startDelegation({ model, subAgents: [subAgent('helper')] })
  await (await ask(server.url)).text()
  const [child] = messagesBy((await loadChat(server.url)).messages, 'helper')
  expect(child?.metadata).toMatchObject({ receiverName: 'The master', originalMessageId: child?.id })
})

test('an agent without a name to show is shown by the name it has', async () => {
  const model = scriptedModel({
    master: [[asking('helper')], [saying('Done.')]],
    helper: [[saying('Here.')]],
  })
  await using server = await startDelegation({ model, subAgents: [subAgent('helper', { displayName: '' })] })
  await (await ask(server.url)).text()
  const [child] = messagesBy((await loadChat(server.url)).messages, 'helper')
  expect(child?.metadata).toMatchObject({ senderName: 'helper' })
})

test("a user's message keeps the id that its sender knows it by", async () => {
  await using server = await startTestServer()
  await (await ask(server.url)).text()
  const edit = { messageId: 'question', messages: [userMessage({ text: 'And tomorrow?' })] }
  await (await ask(server.url, { fields: edit })).text()
  const response = await fetch(`${server.url}/api/chats/chat/messages?branches=all`)
  const { messages }: { messages: readonly Message[] } = await response.json()
  const questions = messages.filter(({ role }) => role === 'user')
  expect(questions.map(({ metadata }) => metadata?.originalMessageId)).toEqual(['question', 'question'])
})

test('only a channel says that a message came through it', async () => {
  await using receiver = await startWebhookReceiver()
  await using server = await startTestServer({ channels: hookChannels(receiver.url) })
  await writeToHook(server.url, { sender: { id: 'ada', name: '' } })
  const [inbound] = (await loadChat(server.url, 'hook:room')).messages
  expect(inbound?.metadata).toMatchObject({
    channel: 'hook',
    senderId: 'ada',
    senderName: 'ada',
    originalMessageId: 'm1',
  })
  const metadata = { channel: 'hook', senderId: 'ada', note: 'mine' }
  await submit(server.url, { chatId: 'mine', fields: { message: { ...userMessage(), metadata } } })
  const [typed] = (await loadChat(server.url, 'mine')).messages
  expect(typed?.metadata).toMatchObject({ note: 'mine' })
  expect(typed?.metadata).not.toHaveProperty('channel')
  expect(typed?.metadata).not.toHaveProperty('senderId')
})

/** Who speaks to whom in a chat of one question: as it was sent, and as it is saved. */
async function savedNames(url: string, metadata: Readonly<Record<string, unknown>>) {
  await (await ask(url, { fields: { messages: [{ ...userMessage(), metadata }] } })).text()
  const { messages } = await loadChat(url)
  const { chunk } = entryWith(await readLog(url), 'start')
  const names = ({ senderName, receiverName }: Message['metadata'] & {}) => ({ senderName, receiverName })
  const saved = messages.map(message => names(message.metadata ?? {}))
  expect(chunk).toMatchObject({ messageMetadata: saved[1] })
  return saved
}
