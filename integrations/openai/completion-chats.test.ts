import { textOf } from '@throughline/protocol'
import { loadChat } from '@throughline/testing/http/chat-requests'
import { ownerIdOf, startTestServer } from '@throughline/testing/server/test-server'
import type OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { listeningAgent } from '../../packages/server/test/openai/listening-agent.ts'
import { openAi } from './open-ai-client.ts'

type Sent = OpenAI.ChatCompletionMessageParam

const user = (content: string): Sent => ({ role: 'user', content })
const assistant = (content: string): Sent => ({ role: 'assistant', content })
const asked = { model: 'assistant', messages: [user('One')] }

describe('the conversation in a request', () => {
  const history = [
    { role: 'system', content: 'Be brief.' },
    assistant('Welcome!'),
    user('One'),
    assistant('First.'),
    user('Two'),
    assistant('Second.'),
  ] satisfies Sent[]

  test('is a new chat, and the agent reads all of it that was said', async () => {
    const { agent, given } = listeningAgent()
    await using server = await startTestServer({ agents: [agent] })
    const client = openAi(server.url)
    const { response } = await client.chat.completions
      .create({ ...asked, messages: [...history, user('Three')] })
      .withResponse()
    expect(given).toEqual([['One', 'First.', 'Two', 'Second.', 'Three']])
    const chatId = response.headers.get('x-chat-id') ?? ''
    const saved = (await loadChat(server.url, chatId)).messages
    expect(saved.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
      'user',
      'assistant',
    ])
    expect(saved.map(textOf)).toEqual(['One', 'First.', 'Two', 'Second.', 'Three', 'I heard 5.'])
    await client.chat.completions.create({ ...asked, messages: [...history, user('Three')] })
    const chats = await server.store.chats.list(ownerIdOf('local'), { limit: 10 })
    expect(chats.map(({ title }) => title)).toEqual(['One', 'One'])
  })

  test('goes on in the chat that the client names', async () => {
    const { agent, given } = listeningAgent()
    await using server = await startTestServer({ agents: [agent] })
    const client = openAi(server.url)
    const messages = [user('One')]
    for (const next of ['Two', 'Three', 'Four']) {
      const completion = await client.chat.completions.create({
        ...asked,
        messages,
        metadata: { chat_id: 'trip' },
      })
      messages.push(assistant(completion.choices[0]?.message.content ?? ''), user(next))
    }
    expect((await loadChat(server.url, 'trip')).messages.map(textOf)).toEqual([
      'One',
      'I heard 1.',
      'Two',
      'I heard 3.',
      'Three',
      'I heard 5.',
    ])
    // The client cuts its history and asks something else: the agent reads what the client has.
    await client.chat.completions.create({
      ...asked,
      messages: [...messages.slice(0, 2), user('Else')],
      metadata: { chat_id: 'trip' },
    })
    expect(given.at(-1)).toEqual(['One', 'I heard 1.', 'Else'])
  })

  test('may have its text in parts', async () => {
    const { agent, given } = listeningAgent()
    await using server = await startTestServer({ agents: [agent] })
    const content = ['See ', 'this.'].map(text => ({ type: 'text', text }) as const)
    await openAi(server.url).chat.completions.create({ ...asked, messages: [{ role: 'user', content }] })
    expect(given).toEqual([['See \n\nthis.']])
  })
})
