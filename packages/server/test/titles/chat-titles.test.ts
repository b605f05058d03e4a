import { isChatId } from '@throughline/protocol'
import { titlingModel } from '@throughline/testing/agent/titling-model'
import { ask, sendJson } from '@throughline/testing/http/chat-requests'
import { idOf } from '@throughline/testing/log/id-of'
import { type DelegationOptions, startDelegation } from '@throughline/testing/server/delegating-server'
import { ownerIdOf, startTestServer } from '@throughline/testing/server/test-server'
import { temporaryStores } from '@throughline/testing/store/temporary-store'
import { describe, expect, test } from 'vitest'

const question = 'Please tell me how the weather in Lisbon is going to be next week'

describe.each(temporaryStores)('on $name', ({ temporaryStore: openStore }) => {
  test('a chat is called by its first words until the model has made a title, once', async () => {
    const held = Promise.withResolvers<void>()
    await using world = await startTitled({
      openStore,
      title: () => held.promise.then(() => '“里斯本 weather”.\n'),
    })
    await world.say('first', question)
    expect(await world.title()).toBe(question)
    held.resolve()
    await expect.poll(() => world.title()).toBe('里斯本 weather')
    await world.say('second', 'And the week after?')
    expect(await world.title()).toBe('里斯本 weather')
    expect(world.calls()).toBe(1)
  })

  test('a title that a person gives while the model makes one stays', async () => {
    const asked = Promise.withResolvers<void>()
    const held = Promise.withResolvers<void>()
    await using world = await startTitled({
      openStore,
      async title() {
        asked.resolve()
        await held.promise
        return 'From the model'
      },
    })
    await world.say('first', question)
    await asked.promise
    await world.rename('Mine')
    held.resolve()
    await world.say('second', 'And then?')
    expect(await world.title()).toBe('Mine')
  })
})

test('a model that fails or says nothing leaves the first words, and the answer is as it would be', async () => {
  for (const title of [() => Promise.reject(new Error('no')), async () => ' <think>Hm', async () => '']) {
    await using world = await startTitled({ title })
    expect(await world.say('first', question)).toContain('"type":"finish"')
    await expect.poll(world.calls).toBeGreaterThan(0)
    await world.say('second', 'More')
    expect(await world.title()).toBe(question)
  }
})

test('no title is made when it is switched off, when the chat has one, and for an agent with code of its own', async () => {
  await using off = await startTitled({ titles: false, title: async () => 'Never' })
  await off.say('first', question)
  await using titled = await startTitled({ title: async () => 'Never' })
  await titled.rename('Given', 'POST')
  await titled.say('first', question)
  await using own = await startTestServer({ titles: true })
  await (await ask(own.url, { text: question })).text()
  for (const world of [off, titled]) await world.say('second', 'More')
  expect([off.calls(), titled.calls()]).toEqual([0, 0])
  expect(await titled.title()).toBe('Given')
  expect(
    (await own.store.chats.get({ ownerId: ownerIdOf('local'), chatId: idOf(isChatId, 'chat') }))?.title,
  ).toBe(question)
})

test('a chat with an agent that a person has defined gets a title too', async () => {
  await using world = await startTitled({ title: async () => 'A poem' })
  await world.define('poet')
  await world.say('first', question, 'chat', { agent: 'poet' })
  await expect.poll(() => world.title()).toBe('A poem')
})

test('two titles are made at once, and the next ones in their turn', async () => {
  const held = Promise.withResolvers<void>()
  let underWay = 0
  await using world = await startTitled({
    async title() {
      underWay += 1
      await held.promise
      return 'From the model'
    },
  })
  const chatIds = ['one', 'two', 'three', 'four']
  for (const chatId of chatIds) await world.say('first', question, chatId)
  await expect.poll(() => underWay).toBe(2)
  held.resolve()
  for (const chatId of chatIds) await expect.poll(() => world.title(chatId)).toBe('From the model')
})

interface TitledOptions extends Pick<DelegationOptions, 'openStore' | 'titles'> {
  readonly title: () => Promise<string>
}

/** Starts a server whose model answers "Sunny.", and makes titles as the test says. */
async function startTitled({ title, ...options }: TitledOptions) {
  const model = titlingModel(title)
  const server = await startDelegation({ titles: true, ...options, model })
  return {
    calls: () => model.doGenerateCalls.length,
    say: async (messageId: string, text: string, chatId = 'chat', fields = {}) =>
      (await ask(server.url, { chatId, messageId: `${chatId}-${messageId}`, text, fields })).text(),
    define: (name: string) =>
      sendJson(`${server.url}/api/agents/${name}`, { systemPrompt: 'You are master.' }, { method: 'PUT' }),
    title: async (chatId = 'chat') => (await (await fetch(`${server.url}/api/chats/${chatId}`)).json()).title,
    rename: (text: string, method = 'PATCH') =>
      method === 'PATCH'
        ? sendJson(`${server.url}/api/chats/chat`, { title: text }, { method })
        : sendJson(`${server.url}/api/chats`, { id: 'chat', title: text }),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}
