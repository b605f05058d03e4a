import type { Message } from '@throughline/protocol'
import { type RecordedResponse, startRecordedProvider } from '@throughline/testing/provider/recorded-provider'
import { expect, test } from 'vitest'
import { Agent, OpenAIProvider, Runner } from './openai-agents/sdk.ts'
import { answerOf, weather } from './openai-agents/serve.ts'

// The SDK's own models, which talk to a provider on a real socket. What the provider sends was recorded.

test('an answer that comes in the form of Responses comes through, with the model that it names', async () => {
  const { parts, metadata } = await recordedAnswer('responses', [
    recording('openai-responses.text-tool-text.1'),
    recording('openai-responses.text-tool-text.2'),
  ])
  expect(parts).toMatchObject([
    { type: 'step-start' },
    { type: 'text', text: 'I will check the sky over Lisbon.' },
    { type: 'tool-weather', state: 'output-available', output: { sky: 'clear' } },
    { type: 'data-step' },
    { type: 'step-start' },
    { type: 'text', text: 'Clear sky over Lisbon, 21 degrees.' },
  ])
  expect(metadata).toMatchObject({
    status: 'finished',
    usage: { inputTokens: 192, cachedInputTokens: 64, byModel: { 'openai:gpt-recorded': { calls: 2 } } },
  })
})

test('an answer that comes in the form of chat completions comes through, with its reasoning', async () => {
  const { parts, metadata } = await recordedAnswer('chat', [
    recording('openai-chat.reasoning-tool-text.1'),
    recording('openai-chat.reasoning-tool-text.2'),
  ])
  expect(parts).toMatchObject([
    { type: 'step-start' },
    { type: 'reasoning', text: 'They want the weather; a forecast tool exists, so I call it.' },
    { type: 'tool-weather', state: 'output-available' },
    { type: 'data-step' },
    { type: 'step-start' },
    { type: 'reasoning', text: 'The tool says 21 and sunny.' },
    { type: 'text', text: 'Sunny and 21 degrees in Lisbon.' },
  ])
  expect(metadata?.usage?.byModel).toMatchObject({ 'openai:reasoner-recorded': { calls: 2 } })
})

test('a key that the provider refuses is said to the person', async () => {
  const { metadata } = await recordedAnswer('responses', [
    {
      type: 'status',
      status: 401,
      body: { error: { message: 'Wrong key: sk-1234', code: 'invalid_api_key' } },
    },
  ])
  expect(metadata).toMatchObject({
    status: 'failed',
    statusText: "The model provider refused the server's key (401). Check the key in the server's settings.",
  })
})

test('when the connection to the provider breaks, the answer fails, and what was said is kept', async () => {
  const { parts, metadata } = await recordedAnswer('responses', [
    { type: 'cut', name: 'openai-responses.text-tool-text.1', style: 'openai', afterEvents: 8 },
  ])
  expect(parts).toContainEqual(expect.objectContaining({ type: 'text', text: 'I will check the' }))
  expect(metadata?.status).toBe('failed')
})

test('a model that reaches its limit of length ends the answer at this limit', async () => {
  const response = { id: 'r', object: 'response', model: 'gpt-5', output: [], status: 'incomplete' }
  const usage = { input_tokens: 7, output_tokens: 3, total_tokens: 10 }
  const events = [
    { type: 'response.created', response },
    { type: 'response.output_text.delta', item_id: 'm', output_index: 0, delta: 'It is ' },
    {
      type: 'response.incomplete',
      response: { ...response, usage, incomplete_details: { reason: 'max_output_tokens' } },
    },
  ]
  const text = events.map(event => `data: ${JSON.stringify(event)}\n\n`).join('')
  const { parts, metadata } = await recordedAnswer('responses', [{ type: 'garbage', text }])
  expect(parts).toContainEqual(expect.objectContaining({ type: 'text', text: 'It is ' }))
  expect(metadata).toMatchObject({
    status: 'limit',
    statusText: 'The answer reached the model’s limit of length.',
    usage: { inputTokens: 7, byModel: { 'openai:gpt-5': { calls: 1 } } },
  })
})

function recording(name: string): RecordedResponse {
  return { type: 'recording', name, style: 'openai' }
}

/** Asks an agent whose model is at a provider that responds with this script. */
async function recordedAnswer(
  form: 'responses' | 'chat',
  script: readonly RecordedResponse[],
): Promise<Message> {
  await using provider = await startRecordedProvider(script)
  const modelProvider = new OpenAIProvider({
    apiKey: 'test',
    baseURL: provider.url,
    useResponses: form === 'responses',
  })
  const runner = new Runner({ modelProvider, tracingDisabled: true })
  return await answerOf(new Agent({ name: 'support', model: 'gpt-5.4', tools: [weather] }), { runner })
}
