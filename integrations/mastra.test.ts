import { namedAgent } from '@throughline/agents'
import { fromMastra } from '@throughline/agents/mastra'
import { asking, breaking, calling, saying, scriptedModel } from '@throughline/testing/agent/scripted-model'
import { textToolTextParts } from '@throughline/testing/agent/text-tool-text'
import { ask, loadAnswer, stop } from '@throughline/testing/http/chat-requests'
import { messageWith, picturePart } from '@throughline/testing/http/file-parts'
import { messagesBy, readLog, replay } from '@throughline/testing/http/read-log'
import { startDelegation } from '@throughline/testing/server/delegating-server'
import { APICallError } from 'ai'
import { expect, test } from 'vitest'
import { answerOf, finish, scripted, serve, streaming } from './mastra/serve.ts'
import { lonelySupport, supervisor, support } from './mastra/support.ts'

test('text, a tool call with its result, and text come through, and the usage of both steps', async () => {
  const turns = [[saying('Let me look. '), calling('weather', { city: 'Lisbon' })], [saying('It is clear.')]]
  const { parts, metadata } = await answerOf(lonelySupport(scripted(turns)))
  expect(parts).toMatchObject(textToolTextParts)
  expect(metadata).toMatchObject({
    status: 'finished',
    finishReason: 'stop',
    agent: { displayName: 'Support' },
    usage: { inputTokens: 20, outputTokens: 10, byModel: { 'test:scripted': { calls: 2 } } },
  })
})

test('tools that work at the same time each have their result', async () => {
  const everybody = Promise.withResolvers<string>()
  const here: string[] = []
  const meet = async (name: string) => {
    here.push(name)
    if (here.length === 2) everybody.resolve(here.join(' and '))
    return everybody.promise
  }
  const calls = [calling('meet', { name: 'Ada' }, 'a'), calling('meet', { name: 'Bob' }, 'b')]
  const { parts } = await answerOf(support(scripted([calls, [saying('They met.')]]), { meet }))
  expect(parts.filter(({ type }) => type === 'tool-meet')).toMatchObject([
    { state: 'output-available', input: { name: 'Ada' }, output: { met: 'Ada and Bob' } },
    { state: 'output-available', input: { name: 'Bob' }, output: { met: 'Ada and Bob' } },
  ])
})

test('reasoning comes through as reasoning, and so do thoughts that a model writes into its text', async () => {
  const model = streaming([
    { type: 'reasoning-start', id: 'r' },
    { type: 'reasoning-delta', id: 'r', delta: 'They greet me.' },
    { type: 'reasoning-end', id: 'r', providerMetadata: { test: { signature: 'mine' } } },
    { type: 'text-start', id: 't' },
    { type: 'text-delta', id: 't', delta: '<think>Politely.</think>Hello!' },
    { type: 'text-end', id: 't' },
    finish('stop'),
  ])
  const { parts, metadata } = await answerOf(support(model))
  expect(parts).toMatchObject([
    { type: 'step-start' },
    { type: 'reasoning', text: 'They greet me.', providerMetadata: { test: { signature: 'mine' } } },
    { type: 'reasoning', text: 'Politely.' },
    { type: 'text', text: 'Hello!' },
  ])
  expect(metadata?.usage).toMatchObject({ reasoningTokens: 3, cachedInputTokens: 4 })
})

test('the input of a call is shown while the model writes it', async () => {
  const call = { toolCallId: 'c', toolName: 'weather' }
  const model = streaming(
    [
      { type: 'tool-input-start', id: 'c', toolName: 'weather' },
      { type: 'tool-input-delta', id: 'c', delta: '{"city":' },
      { type: 'tool-input-delta', id: 'c', delta: '"Oslo"}' },
      { type: 'tool-input-end', id: 'c' },
      { type: 'tool-call', ...call, input: '{"city":"Oslo"}' },
      finish('tool-calls'),
    ],
    [finish('stop')],
  )
  await using server = await serve(support(model))
  await (await ask(server.url)).text()
  const chunks = (await readLog(server.url)).map(({ chunk }) => chunk)
  const inputs = chunks.filter(({ type }) => type.startsWith('tool-'))
  expect(inputs).toMatchObject([
    { type: 'tool-input-start', toolName: 'weather' },
    { type: 'tool-input-delta', inputTextDelta: '{"city":"Oslo"}' },
    { type: 'tool-input-available', input: { city: 'Oslo' } },
    { type: 'tool-output-available', output: { city: 'Oslo', sky: 'clear' } },
  ])
})

test('what a tool writes while it works is shown until its result comes', async () => {
  await using server = await serve(support(scripted([[calling('count', {})], [saying('Done.')]])))
  await (await ask(server.url)).text()
  const chunks = (await readLog(server.url)).map(({ chunk }) => chunk)
  expect(chunks.filter(({ type }) => type === 'tool-output-available')).toMatchObject([
    { output: { percent: 50 }, preliminary: true },
    { output: { percent: 100 } },
  ])
})

test('the error of a tool stands at its call, an input that does not fit too, and the answer goes on', async () => {
  const calls = [calling('weather', { city: 'Atlantis' }, 'a'), calling('weather', { town: 'Oslo' }, 'b')]
  const { parts, metadata } = await answerOf(support(scripted([calls, [saying('I do not know.')]])))
  expect(parts.filter(({ type }) => type === 'tool-weather')).toMatchObject([
    { state: 'output-error', errorText: 'There is no such city.' },
    { state: 'output-error', errorText: expect.stringContaining('expected string') },
  ])
  expect(metadata?.status).toBe('finished')
})

test('when the model breaks off, the answer fails, and what was said is kept', async () => {
  const { parts, metadata } = await answerOf(support(scripted([[saying('It is '), breaking('gone')]])))
  expect(parts).toContainEqual(expect.objectContaining({ type: 'text', text: 'It is ' }))
  expect(metadata).toMatchObject({ status: 'failed' })
  expect(metadata?.usage?.byModel ?? {}).toEqual({})
})

test('the error of a provider is explained as for every agent', async () => {
  const error = new APICallError({
    message: 'busy',
    url: 'https://provider.test',
    requestBodyValues: {},
    statusCode: 429,
    isRetryable: false,
  })
  const { metadata } = await answerOf(support(scripted([[{ type: 'break', error }]])))
  expect(metadata).toMatchObject({ status: 'failed', statusText: expect.stringContaining('(429)') })
})

test('a stop ends the model call, and what was said is kept', async () => {
  const model = scripted([
    async function* () {
      yield saying('One moment. ')
      await new Promise(() => undefined)
    },
  ])
  await using server = await serve(support(model))
  const reading = ask(server.url).then(response => response.text())
  await expect.poll(async () => JSON.stringify((await loadAnswer(server.url)).parts)).toContain('One moment.')
  await stop(server.url)
  await reading
  const { parts, metadata } = await loadAnswer(server.url)
  expect(parts).toContainEqual(expect.objectContaining({ type: 'text', text: 'One moment. ' }))
  expect(metadata?.status).toBe('stopped')
  expect(model.doStreamCalls[0]?.abortSignal?.aborted).toBe(true)
})

test('after maxSteps model calls the answer ends, and says that a limit was reached', async () => {
  const turns = [[calling('weather', { city: 'Oslo' })], [saying('Never.')]]
  const { metadata } = await answerOf(support(scripted(turns)), { maxSteps: 1 })
  expect(metadata?.status).toBe('limit')
})

test('it reads the chat so far, with the results of its tools, and files', async () => {
  const model = scripted([
    [calling('weather', { city: 'Lisbon' }), calling('weather', { city: 'Atlantis' }, 'b')],
    [saying('It is clear.')],
  ])
  await using server = await serve(support(model))
  await (await ask(server.url)).text()
  const message = messageWith([picturePart], 'And here?', 'second')
  await (await ask(server.url, { fields: { messages: [message] } })).text()
  const prompt = model.doStreamCalls[2]?.prompt ?? []
  expect(prompt.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'assistant', 'user'])
  expect(prompt[3]?.content).toMatchObject([
    { type: 'tool-result', output: { value: { city: 'Lisbon', sky: 'clear' } } },
    { type: 'tool-result', output: { value: expect.stringContaining('no such city') } },
  ])
  expect(prompt[5]?.content).toMatchObject([
    { type: 'file', mediaType: 'image/png' },
    { type: 'text', text: 'And here?' },
  ])
})

test('the agents inside of it are shown as calls of a tool, and what they use is counted', async () => {
  const model = scriptedModel({
    boss: [[calling('agent-helper', { prompt: 'How is Oslo?' })], [saying('Clear, they say.')]],
    support: [[calling('weather', { city: 'Oslo' })], [saying('It is clear.')]],
  })
  const { parts, metadata } = await answerOf(supervisor(model, lonelySupport(model)))
  expect(parts).toContainEqual(
    expect.objectContaining({
      type: 'tool-agent-helper',
      state: 'output-available',
      output: expect.objectContaining({ text: 'It is clear.' }),
    }),
  )
  expect(metadata?.usage?.byModel).toMatchObject({ 'test:scripted': { calls: 4, inputTokens: 40 } })
})

test('other agents can delegate to it, and its usage is a part of theirs', async () => {
  const model = scriptedModel({
    master: [[asking('helper')], [saying('Done.')]],
    support: [[calling('weather', { city: 'Oslo' })], [saying('It is clear.')]],
  })
  const helper = namedAgent('helper', fromMastra(support(model)))
  await using server = await startDelegation({ model, subAgents: [helper] })
  await (await ask(server.url)).text()
  const messages = replay(await readLog(server.url))
  const [message] = messagesBy(messages, 'helper')
  expect(message?.parts).toContainEqual(expect.objectContaining({ type: 'text', text: 'It is clear.' }))
  const [answer] = messagesBy(messages, 'master')
  expect(answer?.metadata?.usage?.byModel).toMatchObject({ 'test:scripted': { calls: 4 } })
})
