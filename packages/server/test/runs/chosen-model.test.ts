import { MasterAgent } from '@throughline/agents'
import { textOf } from '@throughline/protocol'
import { readServerSentence } from '@throughline/protocol/internal'
import { finish, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import {
  asking,
  saying,
  scriptedModel,
  type Turn,
  type Turns,
} from '@throughline/testing/agent/scripted-model'
import {
  ask,
  loadAnswer,
  loadChat,
  problemOf,
  sendJson,
  submit,
} from '@throughline/testing/http/chat-requests'
import { SseBytes } from '@throughline/testing/http/sse-bytes'
import { delegating, startDelegation, subAgent } from '@throughline/testing/server/delegating-server'
import { startTestServer } from '@throughline/testing/server/test-server'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { startServer } from '../../src/start-server.ts'
import { agentSystem } from '../../src/who/agent-system.ts'

const large = { model: 'test:large' }
const logger = pino({ level: 'silent' })

test('a message is answered with the model that was chosen, and its usage and cost say so', async () => {
  await using server = await startDelegation({
    ...twoModels({ master: [[saying('Small.')]] }, { master: [[saying('Large.')]] }),
    prices: { 'test:large': { input: 100_000, output: 100_000 } },
  })
  await submit(server.url, { fields: large })
  const answer = await ended(server.url)
  expect(textOf(answer)).toBe('Large.')
  expect(Object.keys(answer.metadata?.usage?.byModel ?? {})).toEqual(['test:large'])
  expect(answer.metadata?.usage?.cost).toBeGreaterThan(0)
  const { messages } = await loadChat(server.url)
  expect(messages[0]?.metadata?.chosenModel).toBe('test:large')
  // Without a choice the agent uses its own model, and nothing is said about it.
  await submit(server.url, { messageId: 'second' })
  expect(textOf(await ended(server.url))).toBe('Small.')
  expect((await loadChat(server.url)).messages[2]?.metadata).not.toHaveProperty('chosenModel')
})

test('a stock client chooses a model with its request, and can name the own model of the agent', async () => {
  await using server = await startDelegation(
    twoModels({ master: [[saying('Small.')]] }, { master: [[saying('Large.')]] }),
  )
  expect(await (await ask(server.url, { fields: large })).text()).toContain('Large.')
  const own = await ask(server.url, { messageId: 'second', fields: { model: 'test:small' } })
  expect(await own.text()).toContain('Small.')
})

test('the list of agents says which models can be chosen, the own one first', async () => {
  await using server = await startDelegation({
    ...twoModels({}, {}),
    defaultModel: scriptedModel({}, 'third'),
  })
  await sendJson(
    `${server.url}/api/agents/writer`,
    { systemPrompt: 'You are writer.', model: { provider: 'test', modelId: 'third' } },
    { method: 'PUT' },
  )
  const listed = await (await fetch(`${server.url}/api/agents`)).json()
  expect(listed).toMatchObject({
    agents: [{ name: 'master', models: ['test:small', 'test:large'] }],
    subAgents: [{ name: 'writer', models: ['test:third', 'test:large'] }],
  })
})

test('a model that is not offered is refused, with those that are', async () => {
  await using server = await startDelegation(twoModels({}, {}))
  const fields = { model: 'test:huge' }
  for (const response of [await submit(server.url, { fields }), await ask(server.url, { fields })])
    expect(await problemOf(response)).toMatchObject({
      status: 400,
      code: 'unknown-model',
      detail: expect.stringContaining('test:small, test:large'),
    })
})

test('an agent with code of its own offers no model, and without any to choose a stock client may send what it likes', async () => {
  const agents = [scriptedAgent('assistant', [say('Mine.'), finish])]
  const system = agentSystem({ models: [scriptedModel({}, 'large')] })
  await using choosing = await startTestServer({ agents, system })
  expect(await problemOf(await submit(choosing.url, { fields: large }))).toMatchObject({
    code: 'unknown-model',
    detail: expect.stringContaining('Send no "model".'),
  })
  const listed = await (await fetch(`${choosing.url}/api/agents`)).json()
  expect(listed.agents[0]).not.toHaveProperty('models')
  await using plain = await startTestServer({ agents })
  expect(await (await ask(plain.url, { fields: { model: 'gpt-4o' } })).text()).toContain('Mine.')
  expect((await problemOf(await submit(plain.url, { fields: large }))).code).toBe('unknown-model')
})

test('sub-agents without a model of their own take the chosen one, and the others keep theirs', async () => {
  const own = scriptedModel({ expert: [[saying('Expertly.')]] }, 'own')
  const big = scriptedModel(
    {
      master: [[asking('worker'), asking('expert')], [saying('Done.')]],
      worker: [[saying('Worked.')]],
    },
    'large',
  )
  await using server = await startDelegation({
    model: scriptedModel({}, 'small'),
    models: [big],
    subAgents: [subAgent('worker'), subAgent('expert', { model: own })],
  })
  await (await ask(server.url, { fields: large })).text()
  const { messages } = await loadChat(server.url)
  const answer = messages.find(({ metadata }) => metadata?.agent?.kind === 'master')
  const used = answer?.metadata?.usage?.byModel ?? {}
  expect(Object.entries(used).map(([name, { calls }]) => [name, calls])).toEqual(
    expect.arrayContaining([
      ['test:large', 3],
      ['test:own', 1],
    ]),
  )
  expect(Object.keys(used)).toHaveLength(2)
})

test('a message that waited is answered with its model', async () => {
  const held = heldTurn()
  await using server = await startDelegation(
    twoModels({ master: [held.turn] }, { master: [[saying('Large.')]] }),
  )
  await using stream = new SseBytes(await ask(server.url))
  await stream.until('Wait')
  const fields = { ...large, onBusy: 'queue', waitForTurn: false }
  await submit(server.url, { messageId: 'second', fields })
  const queue = await (await fetch(`${server.url}/api/chats/chat/queue`)).json()
  expect(queue).toMatchObject({ queue: [{ id: 'second', model: 'test:large' }] })
  held.letGo()
  await expect.poll(async () => textOf(await loadAnswer(server.url))).toBe('Large.')
})

test('a message that waited for a model which is gone by then fails, and says so', async () => {
  const held = heldTurn()
  const options = twoModels({ master: [held.turn] }, { master: [[saying('Large.')]] })
  await using dead = await startDelegation(options)
  await using stream = new SseBytes(await ask(dead.url))
  await stream.until('Wait')
  await submit(dead.url, { messageId: 'second', fields: { ...large, onBusy: 'queue', waitForTurn: false } })
  const small = scriptedModel({ master: [[saying('Small.')]] }, 'small')
  const { agents = [], system } = delegating({ model: small })
  await using server = await startServer({
    store: dead.store,
    agents,
    ...(system && { system }),
    logger,
    port: 0,
  })
  await expect.poll(async () => (await loadAnswer(server.url)).metadata?.status).toBe('failed')
  const { statusText = '' } = (await loadAnswer(server.url)).metadata ?? {}
  expect(statusText).toContain('The model "test:large" cannot be chosen')
  // So pages can say it in other languages.
  expect(readServerSentence(statusText)).toEqual({ code: 'model-gone', values: { model: 'test:large' } })
})

test('another answer uses the model of the message, unless another one is chosen', async () => {
  await using server = await startDelegation(
    twoModels({ master: [[saying('Small.')]] }, { master: [[saying('Large.')]] }),
  )
  await submit(server.url, { fields: large })
  await ended(server.url)
  expect(await answerAgain(server.url, {})).toBe('Large.')
  expect(await answerAgain(server.url, { model: 'test:small' })).toBe('Small.')
  const refused = await sendJson(`${server.url}/api/chats/chat/answers`, {
    messageId: 'question',
    model: 'no',
  })
  expect((await problemOf(refused)).code).toBe('unknown-model')
})

test('an answer goes on with its model after a crash, and ends with a reason when the model is gone', async () => {
  const held = heldTurn()
  const hanging = twoModels({}, { master: [held.turn] })
  for (const goesOn of [true, false]) {
    await using dead = await startDelegation(hanging)
    await submit(dead.url, { fields: large })
    await expect.poll(async () => textOf(await loadAnswer(dead.url))).toContain('Wait')
    const rest = [saying('Small.')]
    const small = scriptedModel({ master: [rest, rest] }, 'small')
    const master = new MasterAgent({ name: 'master', instructions: 'You are master.', model: small })
    const end = [saying('Large to the end.')]
    const models = goesOn ? [scriptedModel({ master: [end, end] }, 'large')] : []
    const options = { store: dead.store, agents: [master], system: agentSystem({ models }), logger, port: 0 }
    await using server = await startServer(options)
    const answer = await ended(server.url)
    if (goesOn) {
      expect(textOf(answer)).toContain('Large to the end.')
      continue
    }
    const { status, statusText = '' } = answer.metadata ?? {}
    expect(status).toBe('interrupted')
    expect(readServerSentence(statusText)).toEqual({
      code: 'restarted-model-gone',
      values: { model: 'test:large' },
    })
  }
})

/** The options of a server whose master has the model `test:small`, and for which `test:large` can be chosen. */
function twoModels(small: Turns, big: Turns) {
  return { model: scriptedModel(small, 'small'), models: [scriptedModel(big, 'large')] }
}

/** A call of the model that says something, and then waits for the test. */
function heldTurn(): { readonly turn: Turn; letGo(): void } {
  const { promise, resolve } = Promise.withResolvers<void>()
  return {
    async *turn() {
      yield saying('Wait')
      await promise
    },
    letGo: resolve,
  }
}

async function ended(url: string) {
  await expect.poll(async () => (await loadAnswer(url)).metadata?.status).not.toBe('streaming')
  return loadAnswer(url)
}

async function answerAgain(url: string, fields: Readonly<Record<string, unknown>>): Promise<string> {
  const { responseMessageId } = await (
    await sendJson(`${url}/api/chats/chat/answers`, { messageId: 'question', ...fields })
  ).json()
  await expect.poll(async () => (await loadAnswer(url)).id).toBe(responseMessageId)
  return textOf(await ended(url))
}
