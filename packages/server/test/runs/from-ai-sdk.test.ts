import {
  type AiSdkAgent,
  type AiSdkCall,
  type AiSdkFunction,
  currentFrame,
  fromAiSdk,
  namedAgent,
  toolSetOf,
} from '@throughline/agents'
import { awaitedOutputs, type Message } from '@throughline/protocol'
import {
  asking,
  breaking,
  calling,
  saying,
  scriptedModel,
  type Turn,
} from '@throughline/testing/agent/scripted-model'
import { textToolTextParts } from '@throughline/testing/agent/text-tool-text'
import { approvalIn, type Decision, decide } from '@throughline/testing/http/approval-requests'
import { ask, loadAnswer, sendJson, stop } from '@throughline/testing/http/chat-requests'
import { messagesBy, readLog, replay } from '@throughline/testing/http/read-log'
import { SseBytes } from '@throughline/testing/http/sse-bytes'
import { startDelegation } from '@throughline/testing/server/delegating-server'
import { startTestServer } from '@throughline/testing/server/test-server'
import { isStepCount, type LanguageModel, streamText, ToolLoopAgent, tool } from 'ai'
import { convertArrayToReadableStream, MockLanguageModelV4 } from 'ai/test'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'

/** Called when the weather of a slow city is asked for. */
let onSlow: () => void = () => undefined
const weather = tool({
  description: 'Tells the weather.',
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => {
    if (city === 'Slow') {
      onSlow()
      await new Promise(() => undefined)
    }
    if (city === 'Atlantis') throw new Error('There is no such city.')
    if (city === 'Nowhere') return Promise.reject({ code: 'NO_CITY' })
    return { city, sky: 'clear' }
  },
})
const settings = {
  instructions: 'You are support.',
  tools: { weather },
  // By default the AI SDK prints errors.
  onError: () => undefined,
}

const forms: readonly (readonly [string, (model: LanguageModel) => AiSdkAgent | AiSdkFunction])[] = [
  ['a ToolLoopAgent', model => new ToolLoopAgent({ ...settings, model })],
  [
    'a function that calls streamText',
    model => call => streamText({ ...settings, model, stopWhen: isStepCount(5), ...call }),
  ],
]

describe.each(forms)('of %s,', (_, make) => {
  test('text, a tool call with its result, and text come through, and the usage of both steps', async () => {
    const turns = [
      [saying('Let me look. '), calling('weather', { city: 'Lisbon' })],
      [saying('It is clear.')],
    ]
    const { parts, metadata } = await answerOf(make(support(turns)))
    expect(parts).toMatchObject(textToolTextParts)
    expect(metadata).toMatchObject({
      status: 'finished',
      finishReason: 'stop',
      usage: { inputTokens: 20, outputTokens: 10, byModel: { 'test:scripted': { calls: 2 } } },
    })
  })

  test('tools that work at the same time each have their result', async () => {
    const calls = [calling('weather', { city: 'Lisbon' }, 'a'), calling('weather', { city: 'Oslo' }, 'b')]
    const { parts } = await answerOf(make(support([calls, [saying('Both are clear.')]])))
    expect(parts.filter(({ type }) => type === 'tool-weather')).toMatchObject([
      { state: 'output-available', input: { city: 'Lisbon' }, output: { city: 'Lisbon' } },
      { state: 'output-available', input: { city: 'Oslo' }, output: { city: 'Oslo' } },
    ])
  })

  test('reasoning comes through as reasoning', async () => {
    const { parts } = await answerOf(make(thinkingModel()))
    expect(parts).toMatchObject([
      { type: 'step-start' },
      { type: 'reasoning', text: 'They greet me.' },
      { type: 'text', text: 'Hello!' },
    ])
  })

  test('the error of a tool stands at its call, and the answer goes on', async () => {
    const turns = [[calling('weather', { city: 'Atlantis' })], [saying('I do not know.')]]
    const { parts, metadata } = await answerOf(make(support(turns)))
    expect(parts).toContainEqual(
      expect.objectContaining({ state: 'output-error', errorText: 'There is no such city.' }),
    )
    expect(metadata?.status).toBe('finished')
  })

  test('an error that is an object, not an Error, is shown as JSON', async () => {
    const turns = [[calling('weather', { city: 'Nowhere' })], [saying('I do not know.')]]
    const { parts } = await answerOf(make(support(turns)))
    expect(parts).toContainEqual(
      expect.objectContaining({ state: 'output-error', errorText: '{"code":"NO_CITY"}' }),
    )
  })

  test('when the model breaks off, the answer fails, and what was said is kept', async () => {
    const { parts, metadata } = await answerOf(make(support([[saying('It is '), breaking('gone')]])))
    expect(parts).toContainEqual(expect.objectContaining({ type: 'text', text: 'It is ' }))
    expect(metadata?.status).toBe('failed')
  })

  test('a stop ends the model call, and what was said is kept', async () => {
    const begun = Promise.withResolvers<void>()
    const model = support([
      async function* () {
        yield saying('One moment. ')
        begun.resolve()
        await new Promise(() => undefined)
      },
    ])
    await using server = await serve(make(model))
    const asked = ask(server.url)
    await begun.promise
    const response = await asked
    const reading = response.text()
    await expect
      .poll(async () => JSON.stringify((await loadAnswer(server.url)).parts))
      .toContain('One moment.')
    await stop(server.url)
    await reading
    const { parts, metadata } = await loadAnswer(server.url)
    expect(parts).toContainEqual(expect.objectContaining({ type: 'text', text: 'One moment. ' }))
    expect(metadata?.status).toBe('stopped')
    expect(model.doStreamCalls[0]?.abortSignal?.aborted).toBe(true)
  })

  test('a stop while a tool works does not lose what the model call before it has used', async () => {
    const atWork = Promise.withResolvers<void>()
    onSlow = atWork.resolve
    const model = support([[calling('weather', { city: 'Slow' })]])
    await using server = await serve(make(model))
    const reading = ask(server.url).then(response => response.text())
    await atWork.promise
    await stop(server.url)
    await reading
    const { metadata } = await loadAnswer(server.url)
    expect(metadata).toMatchObject({
      status: 'stopped',
      usage: { inputTokens: 10, outputTokens: 5, byModel: { 'test:scripted': { calls: 1 } } },
    })
  })

  test('it reads the chat so far, with the results of its tools', async () => {
    const turns = [[calling('weather', { city: 'Lisbon' })], [saying('It is clear.')]]
    const model = support(turns)
    await using server = await serve(make(model))
    await (await ask(server.url)).text()
    await (await ask(server.url, { messageId: 'second', text: 'And Oslo?' })).text()
    const prompt = model.doStreamCalls[2]?.prompt ?? []
    expect(prompt.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
    ])
    expect(JSON.stringify(prompt)).toContain('"sky":"clear"')
  })
})

test('other agents can delegate to it', async () => {
  const model = scriptedModel({
    master: [[asking('helper')], [saying('Done.')]],
    support: [[saying('It is clear.')]],
  })
  const helper = namedAgent('helper', fromAiSdk(new ToolLoopAgent({ ...settings, model })))
  await using server = await startDelegation({ model, subAgents: [helper] })
  await (await ask(server.url)).text()
  const messages = replay(await readLog(server.url))
  const [message] = messagesBy(messages, 'helper')
  expect(message?.parts).toContainEqual(expect.objectContaining({ type: 'text', text: 'It is clear.' }))
  // The usage of a sub-agent is part of the answer's.
  const [answer] = messagesBy(messages, 'master')
  expect(answer?.metadata?.usage?.byModel).toMatchObject({ 'test:scripted': { calls: 3 } })
})

test('a function that leaves out onStepStart has its usage counted under the id of the model', async () => {
  const model = support([[saying('Hello.')]])
  const { metadata } = await answerOf(({ messages }) => streamText({ ...settings, model, messages }))
  expect(metadata?.usage).toMatchObject({ inputTokens: 10, byModel: { scripted: { calls: 1 } }, cost: null })
})

test('a function can use the tools of the server, and those are what it was allowed', async () => {
  const model = support([[calling('note', { text: 'Buy milk.' })], [saying('Noted.')]])
  const keeper = fromAiSdk(
    call =>
      streamText({ ...settings, model, stopWhen: isStepCount(5), ...call, tools: toolSetOf(currentFrame()) }),
    { toolKeys: ['note'] },
  )
  const turns = scriptedModel({ master: [[asking('keeper')], [saying('Done.')]] })
  await using server = await startDelegation({ model: turns, subAgents: [namedAgent('keeper', keeper)] })
  await (await ask(server.url)).text()
  const [message] = messagesBy(replay(await readLog(server.url)), 'keeper')
  expect(message?.parts).toContainEqual(
    expect.objectContaining({ type: 'tool-note', output: { noted: 'Buy milk.' } }),
  )
})

describe.each(forms)('of %s, a call that waits in the way of the AI SDK', (_, make) => {
  const asks =
    (needsApproval: boolean | ((input: { city: string }) => Promise<boolean>)) => (model: LanguageModel) => {
      const tools = { weather: { ...weather, needsApproval } }
      const source = make(model)
      return typeof source === 'function'
        ? (call: AiSdkCall) => streamText({ ...settings, model, tools, stopWhen: isStepCount(5), ...call })
        : new ToolLoopAgent({ ...settings, model, tools })
    }

  test.each([
    ['always', true],
    ['by a function', async ({ city }: { city: string }) => city === 'Lisbon'],
  ])('for approval (%s) runs when a person approves, and the answer goes on', async (_, needsApproval) => {
    const model = support([[calling('weather', { city: 'Lisbon' })], [saying('It is clear.')]])
    const { parts, metadata } = await decidedAnswer(asks(needsApproval)(model), { approved: true })
    expect(parts.find(({ type }) => type === 'tool-weather')).toMatchObject({
      state: 'output-available',
      output: { sky: 'clear' },
      approval: { approved: true },
    })
    expect(parts.at(-1)).toMatchObject({ text: 'It is clear.' })
    expect(metadata?.status).toBe('finished')
  })

  test('for approval does not run when a person denies, and the model reads why', async () => {
    const model = support([[calling('weather', { city: 'Lisbon' })], [saying('Then not.')]])
    const decision = { approved: false, reason: 'Too far.' }
    const { parts, metadata } = await decidedAnswer(asks(true)(model), decision)
    expect(parts.find(({ type }) => type === 'tool-weather')).toMatchObject({ state: 'output-denied' })
    expect(parts.at(-1)).toMatchObject({ text: 'Then not.' })
    expect(JSON.stringify(model.doStreamCalls.at(-1)?.prompt)).toContain('Too far.')
    expect(metadata?.status).toBe('finished')
  })

  test('for the client goes on with the output', async () => {
    const model = support([
      [saying('Where? '), calling('locate', { precise: true }, 'l')],
      [saying('In Oslo.')],
    ])
    const tools = {
      locate: tool({ inputSchema: z.object({ precise: z.boolean() }), outputSchema: z.string() }),
    }
    const source = make(model)
    await using server = await serve(
      typeof source === 'function'
        ? call => streamText({ ...settings, model, tools, stopWhen: isStepCount(5), ...call })
        : new ToolLoopAgent({ ...settings, model, tools }),
    )
    await (await ask(server.url)).text()
    const [waiting] = awaitedOutputs(await loadAnswer(server.url))
    const seen = readUntilEnd(server.url)
    await sendJson(`${server.url}/api/outputs/${waiting?.requestId}`, { output: 'Oslo' })
    await seen
    const { parts, metadata } = await loadAnswer(server.url)
    expect(parts.find(({ type }) => type === 'tool-locate')).toMatchObject({ output: 'Oslo' })
    expect(parts.at(-1)).toMatchObject({ text: 'In Oslo.' })
    expect(metadata?.status).toBe('finished')
    expect(JSON.stringify(model.doStreamCalls.at(-1)?.prompt)).toContain('Oslo')
  })
})

async function decidedAnswer(source: AiSdkAgent | AiSdkFunction, decision: Decision): Promise<Message> {
  await using server = await serve(source)
  await using stream = new SseBytes(await ask(server.url, { form: '?approvals=wait' }))
  await stream.until('"type":"tool-approval-request"')
  await stream.until('"approvalId":')
  await decide(server.url, approvalIn(stream.bytes), decision)
  await stream.rest()
  return await loadAnswer(server.url)
}

async function readUntilEnd(url: string): Promise<void> {
  await (await fetch(`${url}/api/chat/chat/stream?approvals=wait`)).text()
}

function support(turns: readonly Turn[]): MockLanguageModelV4 {
  return scriptedModel({ support: turns })
}

function serve(source: AiSdkAgent | AiSdkFunction) {
  return startTestServer({ agents: [namedAgent('support', fromAiSdk(source))] })
}

/** Asks the agent on a server, and returns what the server has saved. */
async function answerOf(source: AiSdkAgent | AiSdkFunction): Promise<Message> {
  await using server = await serve(source)
  await (await ask(server.url)).text()
  return await loadAnswer(server.url)
}

function thinkingModel(): MockLanguageModelV4 {
  return new MockLanguageModelV4({
    doStream: async () => ({
      stream: convertArrayToReadableStream([
        { type: 'stream-start', warnings: [] },
        { type: 'reasoning-start', id: 'r' },
        { type: 'reasoning-delta', id: 'r', delta: 'They greet me.' },
        { type: 'reasoning-end', id: 'r' },
        { type: 'text-start', id: 't' },
        { type: 'text-delta', id: 't', delta: 'Hello!' },
        { type: 'text-end', id: 't' },
        {
          type: 'finish',
          finishReason: { unified: 'stop', raw: 'stop' },
          usage: {
            inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
            outputTokens: { total: 5, text: 2, reasoning: 3 },
          },
        },
      ]),
    }),
  })
}
