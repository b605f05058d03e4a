import { Chat } from '@ai-sdk/react'
import type { Agent } from '@throughline/agents'
import { heldAgent, say, scriptedAgent, textToolText } from '@throughline/testing/agent/scripted-agent'
import { ask, loadAnswer, loadChat } from '@throughline/testing/http/chat-requests'
import { fromWire } from '@throughline/testing/http/read-chunks'
import { startTestServer } from '@throughline/testing/server/test-server'
import { DefaultChatTransport, readUIMessageStream, type UIMessage, validateUIMessages } from 'ai'
import { describe, expect, test } from 'vitest'

const twoHalves = { before: textToolText.slice(0, 6), after: textToolText.slice(6, -1) }

describe('the stock transport', () => {
  test('reads an answer whose parts stand in true order, and which is saved as it was read', async () => {
    await using server = await startTestServer()
    const stream = await transportTo(server.url).sendMessages(requestOf('chat'))
    const message = await lastOf(readUIMessageStream({ stream, terminateOnError: true }))
    // Steps are told beside the parts they are about; here only the order of what is said and done counts.
    const types = message?.parts.map(({ type }) => type).filter(type => type !== 'data-step')
    expect(types).toEqual(['step-start', 'text', 'tool-weather', 'step-start', 'text'])
    expect(fromWire(message)).toEqual(await loadAnswer(server.url))
  })

  test('resumes a run from its start, and reads the same message', async () => {
    const { agent, letGo } = heldAgent('assistant', twoHalves)
    await using server = await startTestServer({ agents: [agent] })
    const transport = transportTo(server.url)
    const first = await transport.sendMessages(requestOf('chat'))
    const resumed = await transport.reconnectToStream({ chatId: 'chat' })
    if (resumed === null) throw new Error('There is no run to resume.')
    letGo()
    const messages = await Promise.all(
      [first, resumed].map(stream => lastOf(readUIMessageStream({ stream, terminateOnError: true }))),
    )
    for (const message of messages) expect(fromWire(message)).toEqual(await loadAnswer(server.url))
  })

  test('is told when there is nothing to resume', async () => {
    await using server = await startTestServer()
    await (await ask(server.url)).text()
    expect(await transportTo(server.url).reconnectToStream({ chatId: 'chat' })).toBeNull()
  })

  test('is told in words what was wrong', async () => {
    await using server = await startTestServer()
    const asked = transportTo(server.url).sendMessages(requestOf('not an id'))
    await expect(asked).rejects.toThrow('The chat id is not allowed.')
  })
})

describe('the stock chat', () => {
  test('has the question and one answer, which is the saved one', async () => {
    await using server = await startTestServer()
    const chat = chatOn(server.url)
    await chat.sendMessage({ text: 'How is the weather?' })
    expect(chat.status).toBe('ready')
    expect(rolesOf(chat)).toEqual(['user', 'assistant'])
    expect(fromWire(chat.lastMessage)).toEqual(await loadAnswer(server.url))
    expect((await loadChat(server.url)).messages[0]).toMatchObject(fromWire(chat.messages[0] ?? {}))
  })

  test('holds a second question and answer after the first', async () => {
    await using server = await startTestServer()
    const chat = chatOn(server.url)
    await chat.sendMessage({ text: 'One?' })
    await chat.sendMessage({ text: 'Two?' })
    expect(rolesOf(chat)).toEqual(['user', 'assistant', 'user', 'assistant'])
    const saved = (await loadChat(server.url)).messages
    expect(saved.map(({ id }) => id)).toEqual(chat.messages.map(({ id }) => id))
  })

  test.each([
    ['from the saved messages, the half answer among them', (messages: UIMessage[]) => messages],
    ['from the question alone', (messages: UIMessage[]) => messages.slice(0, 1)],
    ['from nothing', () => []],
  ])('of a page that was loaded in the middle goes on %s, without a second answer', async (_, loaded) => {
    const { agent, letGo } = heldAgent('assistant', twoHalves)
    await using server = await startTestServer({ agents: [agent] })
    const first = chatOn(server.url)
    const answered = first.sendMessage({ text: 'How is the weather?' })
    await isShown(first, 'Let me look.')
    const messages = loaded(await validateUIMessages({ messages: (await loadChat(server.url)).messages }))
    const second = chatOn(server.url, { messages })
    const resumed = second.resumeStream()
    await isStreaming(second)
    letGo()
    await Promise.all([answered, resumed])
    expect(second.messages.filter(({ role }) => role === 'assistant')).toHaveLength(1)
    expect(fromWire(second.lastMessage)).toEqual(await loadAnswer(server.url))
    expect(second.messages.slice(0, -1)).toEqual(messages.filter(({ role }) => role === 'user'))
    expect(second.status).toBe('ready')
  })

  test('that left and came back has one answer, whole', async () => {
    const { agent, letGo } = heldAgent('assistant', twoHalves)
    await using server = await startTestServer({ agents: [agent] })
    const chat = chatOn(server.url)
    const answered = chat.sendMessage({ text: 'How is the weather?' })
    await isShown(chat, 'Let me look.')
    await chat.stop()
    await answered
    const resumed = chat.resumeStream()
    await isStreaming(chat)
    letGo()
    await resumed
    expect(rolesOf(chat)).toEqual(['user', 'assistant'])
    expect(fromWire(chat.lastMessage)).toEqual(await loadAnswer(server.url))
  })

  test('with nothing to resume is ready, and unchanged', async () => {
    await using server = await startTestServer()
    await (await ask(server.url)).text()
    const messages = await validateUIMessages({ messages: (await loadChat(server.url)).messages })
    const chat = chatOn(server.url, { messages })
    await chat.resumeStream()
    expect(chat.status).toBe('ready')
    expect(chat.messages).toEqual(messages)
  })

  test('shows a failure as an error, and keeps the text from before it', async () => {
    const broken: Agent = scriptedAgent('assistant', [
      say('Half'),
      { type: 'error', error: new Error('secret') },
    ])
    await using server = await startTestServer({ agents: [broken] })
    const chat = chatOn(server.url)
    await chat.sendMessage({ text: 'How is the weather?' })
    expect(chat.status).toBe('error')
    expect(chat.error?.message).toBe(
      'The answer broke off because of an error. What was said so far is kept; try again.',
    )
    expect(fromWire(chat.lastMessage)).toEqual(await loadAnswer(server.url))
    expect(chat.lastMessage).toMatchObject({ metadata: { status: 'failed' }, parts: [{ text: 'Half' }] })
  })

  test('knows who answers from the first chunk on', async () => {
    const { agent, letGo } = heldAgent('assistant', { before: [] })
    await using server = await startTestServer({ agents: [agent] })
    const chat = chatOn(server.url)
    const answered = chat.sendMessage({ text: 'Hello' })
    await isShown(chat, 'The assistant')
    expect(chat.lastMessage?.metadata).toMatchObject({
      senderName: 'The assistant',
      communicationType: 'agent-to-user',
      agentUsed: 'assistant',
      agent: { kind: 'master', depth: 0, path: ['assistant'] },
    })
    letGo()
    await answered
  })
})

function transportTo(url: string, body: object = {}): DefaultChatTransport<UIMessage> {
  return new DefaultChatTransport({ api: `${url}/api/chat`, body })
}

function chatOn(
  url: string,
  { id = 'chat', messages = [], body = {} }: { id?: string; messages?: UIMessage[]; body?: object } = {},
): Chat<UIMessage> {
  return new Chat({ id, messages, transport: transportTo(url, body) })
}

function requestOf(chatId: string) {
  const message: UIMessage = { id: 'question', role: 'user', parts: [{ type: 'text', text: 'Hello' }] }
  const trigger = 'submit-message' as const
  return { chatId, messages: [message], trigger, messageId: undefined, abortSignal: undefined }
}

function rolesOf(chat: Chat<UIMessage>): readonly string[] {
  return chat.messages.map(({ role }) => role)
}

/** Waits until the chat has the text somewhere in it. */
function isShown(chat: Chat<UIMessage>, text: string): Promise<void> {
  return until(
    () => JSON.stringify(chat.messages).includes(text),
    look => chat['~registerMessagesCallback'](look),
  )
}

function isStreaming(chat: Chat<UIMessage>): Promise<void> {
  return until(
    () => chat.status === 'streaming',
    look => chat['~registerStatusCallback'](look),
  )
}

function until(isSo: () => boolean, register: (look: () => void) => () => void): Promise<void> {
  return new Promise(resolve => {
    const look = () => {
      if (!isSo()) return
      unregister()
      resolve()
    }
    const unregister = register(look)
    look()
  })
}

async function lastOf<T>(values: AsyncIterable<T>): Promise<T | undefined> {
  return (await Array.fromAsync(values)).at(-1)
}
