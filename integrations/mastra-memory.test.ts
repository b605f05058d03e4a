import { calling, saying } from '@throughline/testing/agent/scripted-model'
import { ask } from '@throughline/testing/http/chat-requests'
import { expect, test } from 'vitest'
import { scripted, serve } from './mastra/serve.ts'
import { rememberingSupport, support } from './mastra/support.ts'

/** The name of a person is their session. */
const authenticate = async ({ headers }: Request) => ({ ownerId: headers.get('x-person') ?? 'nobody' })

test('with memory the agent gets the new message, and Mastra adds what it remembers of the thread', async () => {
  const model = scripted([[calling('weather', { city: 'Lisbon' })], [saying('It is clear.')]])
  const { agent, memory } = rememberingSupport(model)
  await using server = await serve(agent, { memory: true, authenticate })
  const headers = { 'x-person': 'ada' }
  await (await ask(server.url, { headers })).text()
  await (await ask(server.url, { headers, messageId: 'second', text: 'And Oslo?' })).text()
  const prompt = model.doStreamCalls[2]?.prompt ?? []
  expect(prompt.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'assistant', 'user'])
  const { messages } = await memory.recall({ threadId: 'ada/chat', resourceId: 'ada' })
  expect(messages.filter(({ role }) => role === 'user').map(({ id }) => id)).toEqual([
    'ada/chat/question',
    'ada/chat/second',
  ])
})

test('two people who use the same ids for chats and messages do not meet in the memory', async () => {
  const model = scripted([[saying('Hello.')]])
  const { agent } = rememberingSupport(model)
  await using server = await serve(agent, { memory: true, authenticate })
  const text = 'The word is swordfish.'
  await (await ask(server.url, { text, headers: { 'x-person': 'ada' } })).text()
  await (await ask(server.url, { text: 'What is it?', headers: { 'x-person': 'bob' } })).text()
  await (await ask(server.url, { text: 'And?', messageId: 'second', headers: { 'x-person': 'ada' } })).text()
  const [, hers, again] = model.doStreamCalls.map(({ prompt }) => JSON.stringify(prompt))
  expect(hers).not.toContain('swordfish')
  expect(again).toContain('swordfish')
})

test('a function can choose another thread', async () => {
  const { agent, memory } = rememberingSupport(scripted([[saying('Hello.')]]))
  const threadOf = ({ chatId, ownerId }: { chatId: string; ownerId: string }) => ({
    thread: `support-${ownerId}-${chatId}`,
    resource: `customer-${ownerId}`,
  })
  await using server = await serve(agent, { memory: threadOf, authenticate })
  await (await ask(server.url, { headers: { 'x-person': 'ada' } })).text()
  const thread = await memory.getThreadById({ threadId: 'support-ada-chat' })
  expect(thread).toMatchObject({ resourceId: 'customer-ada' })
})

test('memory for an agent that has none is refused at the start', async () => {
  await expect(async () => serve(support(scripted([])), { memory: true })).rejects.toThrow(
    'the agent "Support" has no memory. Make it with "memory: new Memory({ … })"',
  )
})
