import { ask, loadAnswer, stop } from '@throughline/testing/http/chat-requests'
import { expect, test } from 'vitest'
import { call, ScriptedModel, say, usagePerCall } from './openai-agents/scripted-model.ts'
import { Agent, tool, z } from './openai-agents/sdk.ts'
import { answerOf, serve, support } from './openai-agents/serve.ts'

test('the error of a tool stands at its call, and the answer goes on', async () => {
  const model = new ScriptedModel([call('weather', { city: 'Atlantis' })], [say('I do not know.')])
  const { parts, metadata } = await answerOf(support(model))
  expect(parts).toContainEqual(
    expect.objectContaining({
      type: 'tool-weather',
      state: 'output-error',
      errorText: 'An error occurred while running the tool. Please try again.',
    }),
  )
  expect(metadata?.status).toBe('finished')
})

test('an input that does not fit is an error of the tool', async () => {
  const model = new ScriptedModel([call('weather', { town: 'Lisbon' })], [say('I do not know.')])
  const { parts, metadata } = await answerOf(support(model))
  expect(parts).toContainEqual(expect.objectContaining({ type: 'tool-weather', state: 'output-error' }))
  expect(metadata?.status).toBe('finished')
})

test('when the model breaks off, the answer fails, and what was said is kept', async () => {
  const model = new ScriptedModel([say('It is '), { type: 'break', error: new Error('gone') }])
  const { parts, metadata } = await answerOf(support(model))
  expect(parts).toContainEqual(expect.objectContaining({ type: 'text', text: 'It is ' }))
  expect(metadata?.status).toBe('failed')
})

test('when the model breaks off as if it were stopped, the answer fails, too', async () => {
  const error = new DOMException('The request timed out.', 'AbortError')
  const { metadata } = await answerOf(support(new ScriptedModel([say('It is '), { type: 'break', error }])))
  expect(metadata?.status).toBe('failed')
})

test('a stop ends the model call, and what was said is kept', async () => {
  const model = new ScriptedModel([say('One moment. '), { type: 'hang' }])
  await using server = await serve(support(model))
  const reading = (await ask(server.url)).text()
  await expect.poll(async () => JSON.stringify((await loadAnswer(server.url)).parts)).toContain('One moment.')
  await stop(server.url)
  await reading
  const { parts, metadata } = await loadAnswer(server.url)
  expect(parts).toContainEqual(expect.objectContaining({ type: 'text', text: 'One moment. ' }))
  expect(metadata?.status).toBe('stopped')
  expect(model.requests[0]?.signal?.aborted).toBe(true)
})

test('a stop while a tool works reaches the tool, and what was used before is counted', async () => {
  const working = Promise.withResolvers<AbortSignal | undefined>()
  const dig = tool({
    name: 'dig',
    description: 'Digs for long.',
    parameters: z.object({}),
    execute: (_input, _context, details) => {
      working.resolve(details?.signal)
      return new Promise<string>(() => undefined)
    },
  })
  const agent = new Agent({ name: 'support', model: new ScriptedModel([call('dig', {})]), tools: [dig] })
  await using server = await serve(agent)
  const reading = (await ask(server.url)).text()
  const signal = await working.promise
  await stop(server.url)
  await reading
  expect(signal?.aborted).toBe(true)
  const { parts, metadata } = await loadAnswer(server.url)
  expect(parts).toContainEqual(expect.objectContaining({ type: 'tool-dig', state: 'output-error' }))
  expect(metadata).toMatchObject({ status: 'stopped', usage: { inputTokens: usagePerCall.inputTokens } })
})

test('an agent that makes too many model calls ends at its limit of steps', async () => {
  const turns = Array.from({ length: 3 }, (_, turn) => [call('weather', { city: 'Lisbon' }, `call-${turn}`)])
  const { metadata } = await answerOf(support(new ScriptedModel(...turns)), { maxSteps: 2 })
  expect(metadata).toMatchObject({ status: 'limit', statusText: 'The answer reached its limit of steps.' })
})

test('a guardrail ends the answer, and says so', async () => {
  const guardrail = {
    name: 'no questions',
    execute: async () => ({ tripwireTriggered: true, outputInfo: 'secret' }),
  }
  const asked = new Agent({
    name: 'support',
    model: new ScriptedModel([say('Hello.')]),
    inputGuardrails: [{ ...guardrail, runInParallel: false }],
  })
  const refused = await answerOf(asked)
  expect(refused.metadata).toMatchObject({
    status: 'failed',
    statusText: 'A guardrail of the agent refused this message. Ask in another way.',
  })
  const answering = new Agent({
    name: 'support',
    model: new ScriptedModel([say('Hello.')]),
    outputGuardrails: [guardrail],
  })
  expect((await answerOf(answering)).metadata?.statusText).toBe(
    'A guardrail of the agent refused this answer.',
  )
})
