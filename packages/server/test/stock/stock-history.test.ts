import { HttpAgent } from '@ag-ui/client'
import { recordingAgent } from '@throughline/testing/agent/recording-agent'
import { heldScript, say } from '@throughline/testing/agent/scripted-agent'
import { asking, saying, scriptedModel } from '@throughline/testing/agent/scripted-model'
import {
  expectWhole,
  idsOf,
  loadAll,
  loadBranch,
  loadBranches,
} from '@throughline/testing/http/branch-requests'
import { loadChat, problemOf, sendJson, userMessage } from '@throughline/testing/http/chat-requests'
import { startDelegation, subAgent } from '@throughline/testing/server/delegating-server'
import { startTestServer } from '@throughline/testing/server/test-server'
import { describe, expect, test } from 'vitest'
import { chatOn, expectShown, isShown, reloaded, startPage, textsOf } from './stock-page.ts'

describe('a stock page that cuts its history and sends a new message', () => {
  test('gets an answer to what it shows, and the rest stays in a branch of its own', async () => {
    await using world = await startPage()
    const { chat, url, given } = world
    await chat.sendMessage({ text: 'One?' })
    await chat.sendMessage({ text: 'Two?' })
    const before = await loadAll(url)
    chat.messages = chat.messages.slice(0, 2)
    await chat.sendMessage({ text: 'Another two?' })
    expect(textsOf(chat)).toEqual(['One?', 'Answer 1.', 'Another two?', 'Answer 3.'])
    await expectShown(world)
    expect(given[2]).toEqual([...idsOf(before).slice(0, 2), chat.messages[2]?.id])
    expect(textsOf(await reloaded(url))).toEqual(textsOf(chat))
    expect(await loadBranch(url, before[2]?.id ?? '')).toEqual(before)
    await chat.sendMessage({ text: 'Three?' })
    await expectShown(world)
    await expectWhole(world.server)
  })

  test('begins a branch at the root when it shows nothing else', async () => {
    await using world = await startPage()
    const { chat, given } = world
    await chat.sendMessage({ text: 'One?' })
    chat.messages = []
    await chat.sendMessage({ text: 'Another one?' })
    expect(textsOf(chat)).toEqual(['Another one?', 'Answer 2.'])
    await expectShown(world)
    expect(given[1]).toEqual([chat.messages[0]?.id])
  })

  test('begins a branch at the root when it shows a greeting of its own before it', async () => {
    await using world = await startPage()
    const { chat, given } = world
    const greeting = {
      id: 'greeting',
      role: 'assistant' as const,
      parts: [{ type: 'text' as const, text: 'Hello!' }],
    }
    chat.messages = [greeting]
    await chat.sendMessage({ text: 'One?' })
    chat.messages = [greeting]
    await chat.sendMessage({ text: 'Another one?' })
    expect(given[1]).toEqual([chat.messages[1]?.id])
  })

  test('goes back to an older branch when it shows that one', async () => {
    await using world = await startPage()
    const { chat, given } = world
    await chat.sendMessage({ text: 'One?' })
    const first = chat.messages
    chat.messages = []
    await chat.sendMessage({ text: 'Another one?' })
    chat.messages = first
    await chat.sendMessage({ text: 'Two?' })
    expect(given[2]).toEqual(chat.messages.slice(0, 3).map(({ id }) => id))
    await expectShown(world)
  })

  test('is answered after its own stop(), in the place of what it cut off', async () => {
    const { script } = heldScript({ before: [say('I begin.')] })
    await using world = await startPage([script])
    const { chat, given, url } = world
    const answered = chat.sendMessage({ text: 'One?' })
    await isShown(chat, 'I begin.')
    await chat.stop()
    await answered
    chat.messages = []
    await chat.sendMessage({ text: 'Another one?' })
    expect(given[1]).toEqual([chat.messages[0]?.id])
    await expectShown(world)
    expect((await loadBranches(url)).map(({ text }) => text)).toEqual(['Answer 2.', 'I begin.'])
  })

  test('is understood after an edit that kept the first message’s id', async () => {
    await using world = await startPage()
    const { chat, url, given } = world
    await chat.sendMessage({ text: 'One?' })
    await chat.sendMessage({ text: 'Another?', messageId: chat.messages[0]?.id ?? '' })
    // The page has the edited text under the old id, and has lost the answer.
    chat.messages = chat.messages.slice(0, 1)
    await chat.sendMessage({ text: 'Two?' })
    const edit = (await loadAll(url)).find(({ id }) => id.startsWith('edit_'))
    expect(given[2]).toEqual([edit?.id, chat.messages[1]?.id])
  })
})

describe('a message that a stock client sends', () => {
  test.each([
    ['alone and without a trigger', { messages: [userMessage({ messageId: 'second' })] }],
    ['as "message"', { message: userMessage({ messageId: 'second' }), trigger: 'submit-message' }],
    ['after messages that nobody knows', { messages: [unknownQuestion(), unknownAnswer(), second()] }],
    ['after an answer that nobody knows', { messages: [first(), unknownAnswer(), second()] }],
    ['with the first of its page left out', { messages: ['ANSWER', second()], trigger: 'submit-message' }],
  ])('%s goes to the end of the chat', async (_, body) => {
    await using world = await startPage()
    await send(world.url, { messages: [first()] })
    const answer = (await loadChat(world.url)).messages[1]
    const json = JSON.stringify(body).replace('"ANSWER"', JSON.stringify(answer))
    await send(world.url, JSON.parse(json))
    expect(world.given[1]).toEqual(['first', answer?.id, 'second'])
    expect(await loadAll(world.url)).toHaveLength(4)
  })

  test('with "after" follows that message, whatever it shows', async () => {
    await using world = await startPage()
    await send(world.url, { messages: [first()] })
    await send(world.url, { messages: [second()], trigger: 'submit-message', after: 'first' })
    expect(world.given[1]).toEqual(['first', 'second'])
    const unknown = { id: 'chat', messages: [userMessage({ messageId: 'third' })], after: 'nobody' }
    expect(await problemOf(await sendJson(`${world.url}/api/chat`, unknown))).toMatchObject({
      status: 400,
      code: 'unknown-message',
    })
  })

  test('without a chat or a message is refused', async () => {
    await using world = await startPage()
    for (const body of [{ messages: [first()] }, { id: 'chat' }, { id: 'chat', trigger: 'submit-message' }]) {
      const problem = await problemOf(await sendJson(`${world.url}/api/chat`, body))
      expect(problem).toMatchObject({ status: 400, code: 'invalid-body' })
    }
  })

  test('again is one message, also when the chat has gone on', async () => {
    await using world = await startPage()
    const { chat, url } = world
    await chat.sendMessage({ text: 'One?' })
    const body = { messages: [chat.messages[0]], trigger: 'submit-message' }
    await chat.sendMessage({ text: 'Two?' })
    await send(url, body)
    expect(world.given).toHaveLength(2)
    expect(await loadAll(url)).toHaveLength(4)
  })

  test('from a page that shows sub-agents as messages follows the answer they worked for', async () => {
    const model = scriptedModel({
      master: [[asking('helper')], [saying('It is done.')]],
      helper: [[saying('It is helped.')]],
    })
    await using server = await startDelegation({ model, subAgents: [subAgent('helper')] })
    await chatOn(server.url).sendMessage({ text: 'One?' })
    const page = await reloaded(server.url)
    expect(page.messages).toHaveLength(3)
    await page.sendMessage({ text: 'Two?' })
    const { messages } = await loadChat(server.url)
    expect(idsOf(messages).slice(0, 5)).toEqual(page.messages.map(({ id }) => id))
    expect(await loadBranches(server.url)).toHaveLength(1)
  })
})

describe('two pages of one chat', () => {
  test('that send at the same time, while both watch, are answered one after the other', async () => {
    const { script, letGo } = heldScript({ before: [say('I begin.')] })
    const { agent, given } = recordingAgent([script])
    const waits = Promise.withResolvers<void>()
    let looks = 0
    await using server = await startTestServer({
      agents: [agent],
      wrapStore: store => ({
        ...store,
        runs: {
          ...store.runs,
          async active(chat) {
            const run = await store.runs.active(chat)
            // The first look is for the message's place, the second one finds the chat busy.
            if (run !== undefined) looks += 1
            if (looks === 2) waits.resolve()
            return run
          },
        },
      }),
    })
    const { url } = server
    const chat = chatOn(url)
    const first = chat.sendMessage({ text: 'One?' })
    await isShown(chat, 'I begin.')
    const second = chatOn(url).sendMessage({ text: 'Two?' })
    await waits.promise
    letGo()
    await Promise.all([first, second])
    const { messages } = await loadChat(url)
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant'])
    expect(given[1]).toEqual(idsOf(messages).slice(0, 3))
  })
})

describe('an AG-UI client that cuts its history', () => {
  test('gets a branch where it cut, also at the root', async () => {
    await using world = await startPage()
    const agent = new HttpAgent({ url: `${world.url}/ag-ui`, threadId: 'chat' })
    const ask = async (id: string) => {
      agent.addMessage({ id, role: 'user', content: `${id}?` })
      await agent.runAgent()
    }
    await ask('one')
    const afterOne = [...agent.messages]
    await ask('two')
    agent.setMessages(afterOne)
    await ask('another-two')
    await ask('three')
    agent.setMessages([])
    await ask('another-one')
    const answers = (await loadAll(world.url)).filter(({ role }) => role === 'assistant').map(({ id }) => id)
    expect(world.given).toEqual([
      ['one'],
      ['one', answers[0], 'two'],
      ['one', answers[0], 'another-two'],
      ['one', answers[0], 'another-two', answers[2], 'three'],
      ['another-one'],
    ])
    await expectWhole(world.server)
  })
})

function first() {
  return userMessage({ messageId: 'first' })
}

function second() {
  return userMessage({ messageId: 'second' })
}

function unknownQuestion() {
  return userMessage({ messageId: 'nobody', text: 'Never asked here.' })
}

function unknownAnswer() {
  return { id: 'nobodys-answer', role: 'assistant', parts: [{ type: 'text', text: 'Hm.' }] }
}

async function send(url: string, body: object): Promise<void> {
  const response = await sendJson(`${url}/api/chat`, { id: 'chat', ...body })
  expect(await response.text()).toContain('[DONE]')
}
