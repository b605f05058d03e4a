import { finish, heldAgent, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import { loadChat, sendJson } from '@throughline/testing/http/chat-requests'
import { startTestServer } from '@throughline/testing/server/test-server'
import { expect, test } from 'vitest'
import type { ChatSnapshot } from '../../src/chat/chat-snapshot.ts'
import { isAgentMessage } from '../../src/chat/chat-snapshot.ts'
import { isReady, recordChat, textsOf } from './recorded-chat.ts'

const answer = 'Fine.'
const agents = [scriptedAgent('assistant', [say(answer), finish])]
const shows = (texts: readonly string[]) => (snapshot: ChatSnapshot) =>
  isReady(snapshot) && JSON.stringify(textsOf(snapshot.messages)) === JSON.stringify(texts)

test('a message that one client deletes is gone for all of them, and everything else stays the same object', async () => {
  await using server = await startTestServer({ agents })
  using one = recordChat(server.url)
  using other = recordChat(server.url)
  for (const text of ['one', 'two']) {
    await one.store.send(text)
    await one.until(snapshot => isReady(snapshot) && textsOf(snapshot.messages).at(-2) === text)
  }
  const before = await other.until(shows(['one', answer, 'two', answer]))
  await one.store.deleteMessage(before.messages[0]?.id ?? '')
  for (const chat of [one, other]) await chat.until(shows(['two', answer]))
  const { messages } = other.store.getSnapshot()
  expect(messages[0]).toBe(before.messages[2])
  expect(messages[1]).toBe(before.messages[3])
  expect((await loadChat(server.url)).messages).toEqual(messages)
})

test('a message that is moved, and what is said about messages, is the same for all of them', async () => {
  await using server = await startTestServer({ agents })
  using one = recordChat(server.url)
  using other = recordChat(server.url)
  for (const text of ['one', 'two']) {
    await one.store.send(text)
    await one.until(snapshot => isReady(snapshot) && textsOf(snapshot.messages).at(-2) === text)
  }
  const [first, , second] = (await one.until(shows(['one', answer, 'two', answer]))).messages
  await one.store.moveMessage(second?.id ?? '', '')
  await one.store.updateMetadata([{ id: first?.id ?? '', metadata: { stars: 3 } }])
  const isStarred = ({ messages }: ChatSnapshot) => messages.some(({ metadata }) => metadata?.['stars'] === 3)
  for (const chat of [one, other]) {
    await chat.until(shows(['two', answer, 'one', answer]))
    await chat.until(isStarred)
  }
  expect((await loadChat(server.url)).messages).toEqual(other.store.getSnapshot().messages)
})

test('what cannot be changed says why', async () => {
  const { agent, letGo } = heldAgent('assistant', { before: [say('Wait.')] })
  await using server = await startTestServer({ agents: [agent] })
  using chat = recordChat(server.url)
  await chat.store.send('one')
  const { messages } = await chat.until(({ status }) => status === 'streaming')
  await chat.store.deleteMessage(messages[0]?.id ?? '')
  const { error } = await chat.until(snapshot => snapshot.error !== undefined)
  expect(error).toMatchObject({ code: 'chat-busy', status: 409 })
  letGo()
  await chat.until(isReady)
})

test('a message to a person is sent when it is there: nobody is waited for until they answer', async () => {
  await using server = await startTestServer({ agents })
  using chat = recordChat(server.url)
  await chat.store.send('Are you there?', { agent: 'user::Ann' })
  await chat.until(shows(['Are you there?']))
  await sendJson(`${server.url}/api/chats/chat/reply`, { text: 'Yes.' })
  const { messages } = await chat.until(shows(['Are you there?', 'Yes.']))
  expect(messages.map(message => isAgentMessage(message, 'assistant'))).toEqual([false, false])
})
