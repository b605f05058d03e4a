import { Chat } from '@ai-sdk/react'
import { ask, loadAnswer, loadChat } from '@throughline/testing/http/chat-requests'
import { startTestServer } from '@throughline/testing/server/test-server'
import { DefaultChatTransport } from 'ai'
import { afterAll, describe, expect, test } from 'vitest'

const server = await startTestServer()
const { url } = server
afterAll(() => server[Symbol.asyncDispose]())

describe('the id that a client expects for the answer', () => {
  test('is taken, also by the stock chat', async () => {
    const body = { expected_assistant_message_id: 'my-answer' }
    const chat = new Chat({
      id: 'taken',
      transport: new DefaultChatTransport({ api: `${url}/api/chat`, body }),
    })
    await chat.sendMessage({ text: 'Hello' })
    expect(chat.messages.map(({ id }) => id)).toEqual([expect.any(String), 'my-answer'])
    expect((await loadAnswer(url, 'taken')).id).toBe('my-answer')
  })

  test.each([
    ['malformed', 'not an id'],
    ['empty', ''],
    ["the question's own", 'question'],
    ['that of an earlier question', 'earlier'],
    ['that of an earlier answer', 'earlier-answer'],
  ])('is not taken when it is %s', async (name, proposed) => {
    const chatId = `not-${name.replaceAll(/\W/g, '-')}`
    const fields = { expected_assistant_message_id: 'earlier-answer' }
    await (await ask(url, { chatId, messageId: 'earlier', fields })).text()
    await (await ask(url, { chatId, fields: { expected_assistant_message_id: proposed } })).text()
    const { messages } = await loadChat(url, chatId)
    const made = expect.stringMatching(/^msg_[0-9a-f]{32}$/)
    expect(messages.map(({ id }) => id)).toEqual(['earlier', 'earlier-answer', 'question', made])
  })

  test('is one of the chat: another chat may have the same', async () => {
    for (const chatId of ['one', 'two']) {
      await (await ask(url, { chatId, fields: { expected_assistant_message_id: 'same' } })).text()
      expect((await loadAnswer(url, chatId)).id).toBe('same')
    }
  })
})
