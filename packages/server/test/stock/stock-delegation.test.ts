import { Chat } from '@ai-sdk/react'
import { asking, calling, saying, scriptedModel } from '@throughline/testing/agent/scripted-model'
import { loadChat } from '@throughline/testing/http/chat-requests'
import { fromWire } from '@throughline/testing/http/read-chunks'
import { messagesBy } from '@throughline/testing/http/read-log'
import { startDelegation, subAgent } from '@throughline/testing/server/delegating-server'
import { DefaultChatTransport, readUIMessageStream, type UIMessage } from 'ai'
import { describe, expect, test } from 'vitest'

const options = () => ({
  model: scriptedModel({
    master: [[saying('I ask. '), asking('lead', 'a'), asking('helper', 'b')], [saying('All is done.')]],
    lead: [[saying('I lead. '), asking('helper')], [saying('It is led.')]],
    helper: [[calling('note', { text: 'x' })], [saying('It is '), saying('helped.')]],
  }),
  subAgents: [
    subAgent('lead', { tools: ['note'], allowedSubAgents: ['helper'] }),
    subAgent('helper', { tools: ['note'] }),
  ],
})

describe('of a run whose agents delegate a stock client sees', () => {
  test('the answer of the master, with a card and its summary for each call, as it is saved', async () => {
    await using server = await startDelegation(options())
    const transport = new DefaultChatTransport({ api: `${server.url}/api/chat` })
    const question: UIMessage = { id: 'question', role: 'user', parts: [{ type: 'text', text: 'Hello' }] }
    const stream = await transport.sendMessages({
      chatId: 'chat',
      messages: [question],
      trigger: 'submit-message',
      messageId: undefined,
      abortSignal: undefined,
    })
    const errors: unknown[] = []
    const read = readUIMessageStream({ stream, terminateOnError: true, onError: error => errors.push(error) })
    const message = (await Array.fromAsync(read)).at(-1)
    expect(errors).toEqual([])
    expect(fromWire(message)).toEqual(await masterAnswer(server.url))
    const tools = message?.parts.filter(({ type }) => type === 'tool-subAgent')
    expect(tools).toMatchObject([
      { state: 'output-available', output: { ok: true, summary: 'It is led.' } },
      { state: 'output-available', output: { ok: true, summary: 'It is helped.' } },
    ])
    expect(JSON.stringify(message)).not.toContain('data-sub-agent')
  })

  test.each([
    ['only as data when it asks for it', '?subAgents=separate', true],
    ['not at all otherwise', '', false],
  ])('one question and one answer, and what sub-agents say %s', async (_, form, isTold) => {
    await using server = await startDelegation(options())
    const data: string[] = []
    const chat = new Chat<UIMessage>({
      id: 'chat',
      transport: new DefaultChatTransport({ api: `${server.url}/api/chat${form}` }),
      onData: part => data.push(part.type),
    })
    await chat.sendMessage({ text: 'Hello' })
    expect(chat.error).toBeUndefined()
    expect(chat.status).toBe('ready')
    expect(chat.messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
    expect(fromWire(chat.lastMessage)).toEqual(await masterAnswer(server.url))
    expect(data.includes('data-sub-agent')).toBe(isTold)
    expect((await loadChat(server.url)).messages).toHaveLength(5)
  })
})

async function masterAnswer(url: string) {
  const { messages } = await loadChat(url)
  return messagesBy(messages, 'master')[0]
}
