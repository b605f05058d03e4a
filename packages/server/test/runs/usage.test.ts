import { stepUsageOf } from '@throughline/protocol'
import { finish, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import { asking, calling, saying, scriptedModel } from '@throughline/testing/agent/scripted-model'
import { ask, loadAnswer, loadChat } from '@throughline/testing/http/chat-requests'
import { messagesBy, readLog } from '@throughline/testing/http/read-log'
import { startDelegation, subAgent } from '@throughline/testing/server/delegating-server'
import { startTestServer } from '@throughline/testing/server/test-server'
import { expect, test } from 'vitest'
import { type AgentSystem, agentSystem } from '../../src/who/agent-system.ts'

// Each call of a model is 10 tokens in, 4 of them cached, and 5 out.
const model = scriptedModel({
  master: [[asking('lead')], [saying('Done.')]],
  lead: [[calling('note', { text: 'x' }), asking('worker')], [saying('Led.')]],
})
const other = scriptedModel({ worker: [[saying('Worked.')]] }, 'other')
const subAgents = [
  subAgent('lead', { tools: ['note'], allowedSubAgents: ['worker'] }),
  subAgent('worker', { model: other }),
]
const price = { input: 1_000_000, output: 2_000_000, cachedInput: 0 }

test('an answer says what it used: all steps, all sub-agents, by model', async () => {
  const usage = await usageWith({})
  expect(usage('worker')).toMatchObject({ totalTokens: 15, byModel: { 'test:other': { calls: 1 } } })
  expect(usage('lead')).toMatchObject({
    totalTokens: 45,
    byModel: { 'test:scripted': { calls: 2, totalTokens: 30 }, 'test:other': { calls: 1, totalTokens: 15 } },
  })
  expect(usage('master')).toEqual({
    inputTokens: 50,
    outputTokens: 25,
    totalTokens: 75,
    reasoningTokens: 0,
    cachedInputTokens: 20,
    cost: null,
    byModel: {
      'test:scripted': {
        inputTokens: 40,
        outputTokens: 20,
        totalTokens: 60,
        reasoningTokens: 0,
        cachedInputTokens: 16,
        calls: 4,
        cost: null,
      },
      'test:other': {
        inputTokens: 10,
        outputTokens: 5,
        totalTokens: 15,
        reasoningTokens: 0,
        cachedInputTokens: 4,
        calls: 1,
        cost: null,
      },
    },
  })
})

test('with a price for every model the answer has a cost', async () => {
  const usage = await usageWith({ 'test:scripted': price, 'test:other': { ...price, output: 0 } })
  expect(usage('worker')?.cost).toBe(6)
  expect(usage('master')).toMatchObject({
    cost: 4 * 16 + 6,
    byModel: { 'test:scripted': { cost: 4 * 16 }, 'test:other': { cost: 6 } },
  })
})

test('an answer that used a model without a price has no known cost', async () => {
  const usage = await usageWith({ 'test:scripted': price })
  expect(usage('master')?.cost).toBeNull()
  expect(usage('master')?.byModel?.['test:scripted']?.cost).toBe(4 * 16)
})

test('a current model has a built-in price, and the configuration has the last word', async () => {
  const agent = scriptedAgent('assistant', [
    { type: 'step-start' },
    say('Hello.'),
    {
      type: 'step-end',
      model: 'openai:gpt-5-2025-08-07',
      usage: { inputTokens: 1_000_000, outputTokens: 100_000, totalTokens: 1_100_000 },
    },
    finish,
  ])
  const costWith = async (system: AgentSystem) => {
    await using server = await startTestServer({ agents: [agent], system })
    await (await ask(server.url)).text()
    return (await loadAnswer(server.url)).metadata?.usage?.cost
  }
  const limits = { maxTokens: 10_000_000 }
  expect(await costWith(agentSystem({ limits }))).toBe(1.25 + 1)
  const prices = { 'openai:gpt-5': { input: 1, output: 0 } }
  expect(await costWith(agentSystem({ limits, prices }))).toBe(1)
})

test('the log says what each step used, without sub-agents; the streams of stock clients do not', async () => {
  await using server = await startDelegation({ model, subAgents, prices: { 'test:scripted': price } })
  const streamed = await (await ask(server.url)).text()
  const inline = await (await ask(server.url, { messageId: 'again', form: '?subAgents=inline' })).text()
  const entries = await readLog(server.url)
  const steps = entries.filter(({ chunk }) => chunk.type === 'finish-step').slice(0, 5)
  const used = steps.map(({ chunk }) => stepUsageOf(chunk))
  const counts = { inputTokens: 10, cachedInputTokens: 4, outputTokens: 5, totalTokens: 15 }
  for (const step of used) expect(step).toMatchObject(counts)
  expect(used.map(step => `${step?.model} ${step?.cost}`).sort()).toEqual([
    'test:other null',
    ...Array.from({ length: 4 }, () => 'test:scripted 16'),
  ])
  for (const stream of [streamed, inline]) {
    const ends = stream.split('\n').filter(line => line.includes('finish-step'))
    expect(ends.length).toBeGreaterThan(1)
    for (const end of ends) expect(end).toContain('{"type":"finish-step"}')
  }
})

async function usageWith(prices: Readonly<Record<string, typeof price>>) {
  await using server = await startDelegation({ model, subAgents, prices })
  await (await ask(server.url)).text()
  const { messages } = await loadChat(server.url)
  return (name: string) => messagesBy(messages, name)[0]?.metadata?.usage
}
