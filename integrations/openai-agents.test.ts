import { currentFrame, namedAgent } from '@throughline/agents'
import { fromOpenAIAgents, type OpenAIAgent, type OpenAIRunner } from '@throughline/agents/openai-agents'
import { inputItems } from '@throughline/agents/testing'
import { textOf } from '@throughline/protocol'
import { asking, saying, scriptedModel } from '@throughline/testing/agent/scripted-model'
import { textToolTextParts } from '@throughline/testing/agent/text-tool-text'
import { ask, loadAnswer, sendJson } from '@throughline/testing/http/chat-requests'
import { fileOf, messageWith, picturePart } from '@throughline/testing/http/file-parts'
import { messagesBy, readLog, replay } from '@throughline/testing/http/read-log'
import { startDelegation } from '@throughline/testing/server/delegating-server'
import { expect, test } from 'vitest'
import { call, ScriptedModel, say, usagePerCall } from './openai-agents/scripted-model.ts'
import { Agent, type AgentInputItem, Runner, tool, z } from './openai-agents/sdk.ts'
import { answerOf, runner, serve, support, weather } from './openai-agents/serve.ts'

test('has the types that the adapter expects', () => {
  const _agent: OpenAIAgent = new Agent({ name: 'support' })
  const _withOutput: OpenAIAgent = new Agent({ name: 'support', outputType: z.object({ sky: z.string() }) })
  const _withContext: OpenAIAgent = new Agent<{ person: string }>({ name: 'support' })
  const _runner: OpenAIRunner = new Runner()
  const items: AgentInputItem[] = inputItems([])
  expect(items).toEqual([])
})

test('text, a tool call with its result, and text come through, as the SDK itself says them', async () => {
  const turns = [[say('Let me look. '), call('weather', { city: 'Lisbon' })], [say('It is clear.')]]
  const { parts, metadata } = await answerOf(support(new ScriptedModel(...turns)))
  expect(parts).toMatchObject(textToolTextParts)
  expect(metadata).toMatchObject({ status: 'finished', finishReason: 'stop' })
  const { finalOutput, newItems } = await runner.run(support(new ScriptedModel(...turns)), 'Hello')
  expect(parts.at(-1)).toMatchObject({ text: finalOutput })
  expect(newItems.map(({ type }) => type)).toEqual([
    'message_output_item',
    'tool_call_item',
    'tool_call_output_item',
    'message_output_item',
  ])
})

test('tools that work at the same time each have their result', async () => {
  const calls = [call('weather', { city: 'Lisbon' }, 'a'), call('weather', { city: 'Oslo' }, 'b')]
  const { parts } = await answerOf(support(new ScriptedModel(calls, [say('Both are clear.')])))
  expect(parts.filter(({ type }) => type === 'tool-weather')).toMatchObject([
    { state: 'output-available', input: { city: 'Lisbon' }, output: { city: 'Lisbon' } },
    { state: 'output-available', input: { city: 'Oslo' }, output: { city: 'Oslo' } },
  ])
})

test.each([true, false])('reasoning comes through as reasoning, streamed or not (%s)', async isStreamed => {
  const thought = { type: 'think', text: 'They greet me.', isStreamed } as const
  const { parts } = await answerOf(
    support(new ScriptedModel([thought, call('weather', { city: 'Lisbon' })], [say('Hello!')])),
  )
  expect(parts).toMatchObject([
    { type: 'step-start' },
    { type: 'reasoning', text: 'They greet me.' },
    { type: 'tool-weather' },
    { type: 'data-step' },
    { type: 'step-start' },
    { type: 'text', text: 'Hello!' },
  ])
})

test('what a model says in place of an answer comes through as text', async () => {
  const model = new ScriptedModel([{ type: 'refuse', text: 'I cannot help with that.' }])
  expect(textOf(await answerOf(support(model)))).toBe('I cannot help with that.')
})

test('the usage of every model call is counted, for the model that the agent names', async () => {
  const turns = [[call('weather', { city: 'Lisbon' })], [say('It is clear.')]]
  const { metadata } = await answerOf(support(new ScriptedModel(...turns)), { usageModel: 'openai:gpt-5' })
  const { state } = await runner.run(support(new ScriptedModel(...turns)), 'Hello')
  expect(metadata?.usage).toMatchObject({
    inputTokens: state.usage.inputTokens,
    outputTokens: state.usage.outputTokens,
    reasoningTokens: 2,
    cachedInputTokens: 4,
    byModel: { 'openai:gpt-5': { calls: 2 } },
  })
  expect(metadata?.usage?.cost).toBeGreaterThan(0)
})

test('the usage of an agent that works as a tool is counted, too', async () => {
  const inner = new Agent({ name: 'inner', model: new ScriptedModel([say('Clear.')]) })
  const asTool = inner.asTool({ toolName: 'look', toolDescription: 'Looks at the sky.' })
  const model = new ScriptedModel([call('look', { input: 'The sky?' })], [say('It is clear.')])
  const { parts, metadata } = await answerOf(new Agent({ name: 'support', model, tools: [asTool] }))
  expect(parts).toContainEqual(expect.objectContaining({ type: 'tool-look', output: 'Clear.' }))
  expect(metadata?.usage).toMatchObject({ inputTokens: 3 * usagePerCall.inputTokens, cost: null })
})

test('a handoff is a call, and the agent that takes over goes on in the same answer', async () => {
  const billing = new Agent({ name: 'billing', model: new ScriptedModel([say('You paid 3 €.')]) })
  const model = new ScriptedModel([say('One moment. '), call('transfer_to_billing', {})])
  const triage = new Agent({ name: 'triage', model, handoffs: [billing] })
  const { parts, metadata } = await answerOf(triage)
  expect(parts).toMatchObject([
    { type: 'step-start' },
    { type: 'text', text: 'One moment. ' },
    { type: 'tool-transfer_to_billing', state: 'output-available', output: { assistant: 'billing' } },
    { type: 'data-step' },
    { type: 'step-start' },
    { type: 'text', text: 'You paid 3 €.' },
  ])
  expect(metadata?.status).toBe('finished')
})

test('when a tool has the last word, its output is the answer', async () => {
  const model = new ScriptedModel([say('I look. '), call('weather', { city: 'Lisbon' })])
  const agent = new Agent({
    name: 'support',
    model,
    tools: [weather],
    toolUseBehavior: 'stop_on_first_tool',
  })
  const { parts, metadata } = await answerOf(agent)
  expect(parts.at(-1)).toMatchObject({ type: 'text', text: '{"city":"Lisbon","sky":"clear"}' })
  expect(metadata?.status).toBe('finished')
})

test('an output with a schema comes through as its JSON', async () => {
  const outputType = z.object({ sky: z.string() })
  const make = () =>
    new Agent({ name: 'support', model: new ScriptedModel([say('{"sky":"clear"}')]), outputType })
  const { finalOutput } = await runner.run(make(), 'Hello')
  expect(JSON.parse(textOf(await answerOf(make())))).toEqual(finalOutput)
})

test('tools get the context of the application', async () => {
  const whoami = tool({
    name: 'whoami',
    description: 'Tells who asks.',
    parameters: z.object({}),
    execute: (_, context) => JSON.stringify(context?.context),
  })
  const model = new ScriptedModel([call('whoami', {})], [say('Hello.')])
  const agent = new Agent({ name: 'support', model, tools: [whoami] })
  const context = () => ({ owner: currentFrame().run.ownerId })
  const { parts } = await answerOf(agent, { context })
  expect(parts).toContainEqual(
    expect.objectContaining({ output: expect.stringMatching(/^{"owner":"\w+"}$/) }),
  )
})

test('it reads the chat so far, with the results of its tools', async () => {
  const model = new ScriptedModel(
    [call('weather', { city: 'Lisbon' }, 'a'), call('weather', { city: 'Atlantis' }, 'b')],
    [say('It is clear.')],
    [say('There, too.')],
  )
  await using server = await serve(support(model))
  await (await ask(server.url)).text()
  await (await ask(server.url, { messageId: 'second', text: 'And Oslo?' })).text()
  expect(model.requests[2]?.input).toMatchObject([
    { role: 'user', content: [{ type: 'input_text', text: 'How is the weather?' }] },
    { type: 'function_call', callId: 'a', name: 'weather', arguments: '{"city":"Lisbon"}' },
    { type: 'function_call', callId: 'b' },
    { type: 'function_call_result', callId: 'a', output: { text: '{"city":"Lisbon","sky":"clear"}' } },
    { type: 'function_call_result', callId: 'b', output: { text: expect.stringContaining('An error') } },
    { role: 'assistant', content: [{ type: 'output_text', text: 'It is clear.' }] },
    { role: 'user', content: [{ type: 'input_text', text: 'And Oslo?' }] },
  ])
})

test('a model may use the same id for a call of every answer', async () => {
  const turn = [call('weather', { city: 'Lisbon' }, 'call_0')]
  const model = new ScriptedModel(turn, [say('Clear.')], turn, [say('Still clear.')])
  await using server = await serve(support(model))
  await (await ask(server.url)).text()
  await (await ask(server.url, { messageId: 'second', text: 'And now?' })).text()
  expect(textOf(await loadAnswer(server.url))).toBe('Still clear.')
})

test('it gets the files of a person', async () => {
  const model = new ScriptedModel([say('A red square and a note.')])
  await using server = await serve(support(model))
  const note = fileOf('application/pdf', '%PDF-1.7 Buy milk.', 'note.pdf')
  const message = messageWith([picturePart, note], 'What is this?')
  await (await sendJson(`${server.url}/api/chat`, { id: 'chat', messages: [message] })).text()
  expect(model.requests[0]?.input).toMatchObject([
    {
      role: 'user',
      content: [
        { type: 'input_image', image: picturePart.url },
        { type: 'input_file', file: note.url, filename: 'note.pdf' },
        { type: 'input_text', text: 'What is this?' },
      ],
    },
  ])
})

test('other agents can delegate to it', async () => {
  const helper = namedAgent(
    'helper',
    fromOpenAIAgents(support(new ScriptedModel([say('It is clear.')])), { runner }),
  )
  const model = scriptedModel({ master: [[asking('helper')], [saying('Done.')]] })
  await using server = await startDelegation({ model, subAgents: [helper] })
  await (await ask(server.url)).text()
  const [message] = messagesBy(replay(await readLog(server.url)), 'helper')
  expect(message?.parts).toContainEqual(expect.objectContaining({ type: 'text', text: 'It is clear.' }))
})
