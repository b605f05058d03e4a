import { namedAgent } from '@throughline/agents'
import { fromLangGraph } from '@throughline/agents/langgraph'
import { asking, saying as masterSays, scriptedModel } from '@throughline/testing/agent/scripted-model'
import { ask, loadAnswer, sendJson, stop } from '@throughline/testing/http/chat-requests'
import { messagesBy, readLog, replay } from '@throughline/testing/http/read-log'
import { startDelegation } from '@throughline/testing/server/delegating-server'
import { expect, test } from 'vitest'
import { answerOf, serve } from './langgraph/graph-server.ts'
import {
  AIMessage,
  createAgent,
  oneNode,
  plainNodes,
  stateGraph,
  ToolNode,
  tool,
  twoAgents,
  twoNodes,
  weather,
} from './langgraph/graphs.ts'
import { calling, ScriptedChatModel, saying } from './langgraph/scripted-chat-model.ts'

test('a message that a node writes itself is shown', async () => {
  const graph = oneNode(() => ({ messages: [new AIMessage('We are closed.')] }))
  const { parts, metadata } = await answerOf(graph)
  expect(parts).toMatchObject([{ type: 'text', text: 'We are closed.' }])
  expect(metadata?.status).toBe('finished')
})

test('a node that returns the whole conversation, or a copy of what the model said, repeats nothing', async () => {
  const model = new ScriptedChatModel([[saying('Hello.')]])
  const graph = oneNode(async ({ messages }) => {
    const { content } = await model.invoke(messages)
    return { messages: [...messages, new AIMessage({ content })] }
  })
  await using server = await serve(graph)
  await (await ask(server.url)).text()
  await (await ask(server.url, { messageId: 'second' })).text()
  const { parts } = await loadAnswer(server.url)
  expect(parts).toMatchObject([{ type: 'step-start' }, { type: 'text', text: 'Hello.' }])
})

test('a message that a node writes as a plain object is shown, with its calls and their results', async () => {
  const called = { id: 'c', name: 'weather', args: { city: 'Oslo' } }
  const { parts, metadata } = await answerOf(
    plainNodes(() => [
      { role: 'assistant', content: 'Let me look.', tool_calls: [called] },
      { role: 'tool', tool_call_id: 'c', content: 'clear' },
      { type: 'ai', content: [{ type: 'text', text: 'It is clear.' }] },
    ]),
  )
  expect(parts).toMatchObject([
    { type: 'text', text: 'Let me look.' },
    { type: 'tool-weather', state: 'output-available', input: { city: 'Oslo' }, output: 'clear' },
    { type: 'data-step' },
    { type: 'text', text: 'It is clear.' },
  ])
  expect(metadata?.status).toBe('finished')
})

test('a node that keeps plain objects in its state and returns all of them repeats nothing', async () => {
  const graph = plainNodes(messages => [...messages, { role: 'assistant', content: 'The same words.' }])
  await using server = await serve(graph)
  for (const messageId of ['first', 'second']) {
    await (await ask(server.url, { messageId })).text()
    expect((await loadAnswer(server.url)).parts).toMatchObject([{ type: 'text', text: 'The same words.' }])
  }
})

test('when a node throws, the answer fails, and what was said is kept', async () => {
  const model = new ScriptedChatModel([[saying('Hello.')]])
  const graph = oneNode(async ({ messages }) => {
    await model.invoke(messages)
    throw new Error('broken')
  })
  const { parts, metadata } = await answerOf(graph)
  expect(parts).toContainEqual(expect.objectContaining({ type: 'text', text: 'Hello.' }))
  expect(metadata?.status).toBe('failed')
})

test('models that speak at the same time do not mix their texts and calls', async () => {
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const one = new ScriptedChatModel([
    async function* () {
      const [start, ...rest] = calling('weather', { city: 'Lisbon' }, { id: 'a' })
      yield saying('One. ')
      if (start !== undefined) yield start
      first.resolve()
      await second.promise
      yield* rest
    },
  ])
  const two = new ScriptedChatModel([
    async function* () {
      await first.promise
      yield saying('Two. ')
      second.resolve()
    },
  ])
  const { parts } = await answerOf(twoNodes(one, two))
  expect(parts.filter(({ type }) => type === 'text')).toMatchObject([{ text: 'One. ' }, { text: 'Two. ' }])
  expect(parts).toContainEqual(expect.objectContaining({ toolCallId: 'a', input: { city: 'Lisbon' } }))
  expect(parts.filter(({ type }) => type === 'step-start')).toHaveLength(1)
})

test('a model with the tag nostream is not shown, but paid for', async () => {
  const model = new ScriptedChatModel([[saying('Hidden.')]])
  const graph = oneNode(async ({ messages }) => {
    await model.invoke(messages, { tags: ['nostream'] })
    return { messages: [new AIMessage('Shown.')] }
  })
  const { parts, metadata } = await answerOf(graph)
  expect(parts).toMatchObject([{ type: 'text', text: 'Shown.' }])
  expect(metadata?.usage?.byModel).toMatchObject({ 'test:scripted': { calls: 1 } })
})

test('at the recursionLimit the answer ends as limit', async () => {
  const model = new ScriptedChatModel([[...calling('weather', { city: 'Lisbon' })]])
  const config = () => ({ recursionLimit: 2 })
  const { metadata } = await answerOf(createAgent({ model, tools: [weather] }), { config })
  expect(metadata).toMatchObject({ status: 'limit', statusText: 'The answer reached its limit of steps.' })
})

test('the error of a tool that ends the graph stands at its call', async () => {
  const model = new ScriptedChatModel([[...calling('weather', { city: 'Atlantis' })]])
  const graph = stateGraph(model, new ToolNode([weather], { handleToolErrors: false }))
  const { parts, metadata } = await answerOf(graph)
  expect(parts).toContainEqual(
    expect.objectContaining({ state: 'output-error', errorText: 'There is no such city.' }),
  )
  expect(metadata?.status).toBe('failed')
})

test('what an agent says inside a tool is not a part of the answer, but paid for', async () => {
  const inner = createAgent({
    model: new ScriptedChatModel([
      [saying('I look. '), ...calling('weather', { city: 'Lisbon' })],
      [saying('Clear.')],
    ]),
    tools: [weather],
  })
  const expert = tool(
    async () =>
      (await inner.invoke({ messages: [{ role: 'user', content: 'Lisbon?' }] })).messages.at(-1)?.text,
    { name: 'expert', description: 'Knows the weather.' },
  )
  const model = new ScriptedChatModel([[...calling('expert', {})], [saying('The sky is clear.')]])
  const { parts, metadata } = await answerOf(createAgent({ model, tools: [expert] }))
  expect(parts).toMatchObject([
    { type: 'step-start' },
    { type: 'tool-expert', state: 'output-available', output: 'Clear.' },
    { type: 'data-step' },
    { type: 'step-start' },
    { type: 'text', text: 'The sky is clear.' },
  ])
  expect(metadata?.usage?.byModel).toMatchObject({ 'test:scripted': { calls: 4 } })
})

test('what a tool yields is shown until its result comes', async () => {
  const [begun, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const count = tool(
    async function* () {
      yield { counted: 1 }
      begun.resolve()
      await goOn.promise
      return { counted: 2 }
    },
    { name: 'count', description: 'Counts.' },
  )
  const model = new ScriptedChatModel([[...calling('count', {})], [saying('Two.')]])
  await using server = await serve(createAgent({ model, tools: [count] }))
  const reading = ask(server.url).then(response => response.text())
  await begun.promise
  await expect
    .poll(async () => (await loadAnswer(server.url)).parts)
    .toContainEqual(
      expect.objectContaining({ type: 'tool-count', output: { counted: 1 }, preliminary: true }),
    )
  goOn.resolve()
  await reading
  const { parts } = await loadAnswer(server.url)
  expect(parts).toContainEqual(expect.objectContaining({ type: 'tool-count', output: { counted: 2 } }))
})

test('a stop while a tool works aborts its signal, and the model is paid for', async () => {
  const working = Promise.withResolvers<AbortSignal | undefined>()
  const wait = tool(
    async (_input, { signal }: { signal?: AbortSignal }) => {
      working.resolve(signal)
      await new Promise(() => undefined)
    },
    { name: 'wait', description: 'Waits.' },
  )
  const model = new ScriptedChatModel([[...calling('wait', {})]])
  await using server = await serve(createAgent({ model, tools: [wait] }))
  const reading = ask(server.url).then(response => response.text())
  const signal = await working.promise
  await stop(server.url)
  await reading
  expect(signal?.aborted).toBe(true)
  const { metadata } = await loadAnswer(server.url)
  expect(metadata).toMatchObject({ status: 'stopped', usage: { inputTokens: 10 } })
})

test('an agent that hands over to another one shows both, and the call has its result', async () => {
  const first = new ScriptedChatModel([[saying('I ask a colleague.'), ...calling('handoff', {})]])
  const second = new ScriptedChatModel([[saying('Hello from the colleague.')]])
  const { parts, metadata } = await answerOf(twoAgents(first, second))
  expect(parts).toMatchObject([
    { type: 'step-start' },
    { type: 'text', text: 'I ask a colleague.' },
    { type: 'tool-handoff', state: 'output-available', output: 'Handed over.' },
    { type: 'data-step' },
    { type: 'step-start' },
    { type: 'text', text: 'Hello from the colleague.' },
  ])
  expect(metadata?.status).toBe('finished')
})

test('a model that does not stream is shown when it has ended', async () => {
  const turns = [[saying('I look.'), ...calling('weather', { city: 'Lisbon' })], [saying('Clear.')]]
  const model = new ScriptedChatModel(turns, { isStreaming: false })
  const { parts, metadata } = await answerOf(createAgent({ model, tools: [weather] }))
  expect(parts).toMatchObject([
    { type: 'step-start' },
    { type: 'text', text: 'I look.' },
    { type: 'tool-weather', state: 'output-available', input: { city: 'Lisbon' } },
    { type: 'data-step' },
    { type: 'step-start' },
    { type: 'text', text: 'Clear.' },
  ])
  expect(metadata?.usage).toMatchObject({ inputTokens: 20 })
})

test('when the provider refuses, people are told why', async () => {
  const refused = Object.assign(new Error('secret'), { lc_error_code: 'MODEL_RATE_LIMIT' })
  const graph = oneNode(() => Promise.reject(refused))
  const { metadata } = await answerOf(graph)
  expect(metadata?.statusText).toContain('(429)')
})

test('the files of a message reach the model', async () => {
  const model = new ScriptedChatModel([[saying('A dot.')]])
  await using server = await serve(createAgent({ model, tools: [] }))
  const url = `data:image/png;base64,${dot}`
  const parts = [
    { type: 'file', mediaType: 'image/png', filename: 'dot.png', url },
    { type: 'text', text: 'What is this?' },
  ]
  const body = { id: 'chat', messages: [{ id: 'question', role: 'user', parts }] }
  await (await sendJson(`${server.url}/api/chat`, body)).text()
  expect(model.prompts[0]?.at(-1)?.content).toMatchObject([
    { type: 'image', source_type: 'base64', mime_type: 'image/png', data: dot },
    { type: 'text', text: 'What is this?' },
  ])
})

test('other agents can delegate to it', async () => {
  const model = scriptedModel({ master: [[asking('helper')], [masterSays('Done.')]] })
  const graph = createAgent({ model: new ScriptedChatModel([[saying('It is clear.')]]), tools: [] })
  const helper = namedAgent('helper', fromLangGraph(graph))
  await using server = await startDelegation({ model, subAgents: [helper] })
  await (await ask(server.url)).text()
  const messages = replay(await readLog(server.url))
  expect(messagesBy(messages, 'helper')[0]?.parts).toContainEqual(
    expect.objectContaining({ type: 'text', text: 'It is clear.' }),
  )
  expect(messagesBy(messages, 'master')[0]?.metadata?.usage?.byModel).toMatchObject({
    'test:scripted': { calls: 3 },
  })
})

/** A picture of one pixel. */
const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
