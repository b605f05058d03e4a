import { approvalIn, decide } from '@throughline/testing/http/approval-requests'
import { ask, loadAnswer } from '@throughline/testing/http/chat-requests'
import { SseBytes } from '@throughline/testing/http/sse-bytes'
import { type RecordedResponse, startRecordedProvider } from '@throughline/testing/provider/recorded-provider'
import { expect, test } from 'vitest'
import { serveGuide } from './serve-guide.ts'

// The configurations on docs/guides/openai-agents.md, as they stand there. Only the address of OpenAI is another one.

test('the agent of the guide answers on a server', async () => {
  await using server = await startGuide(0, [
    { type: 'recording', name: 'openai-responses.text-tool-text.1', style: 'openai' },
    { type: 'recording', name: 'openai-responses.text-tool-text.2', style: 'openai' },
  ])
  await (await ask(server.url)).text()
  expect((await loadAnswer(server.url)).parts).toMatchObject([
    { type: 'step-start' },
    { type: 'text', text: 'I will check the sky over Lisbon.' },
    { type: 'tool-weather', output: { city: 'Lisbon', sky: 'clear' } },
    { type: 'data-step' },
    { type: 'step-start' },
    { type: 'text', text: 'Clear sky over Lisbon, 21 degrees.' },
  ])
})

test('the tool of the guide that needs approval waits for a person, and knows who asks', async () => {
  const call = { type: 'function_call', call_id: 'c', name: 'refund', arguments: '{"order":"A1"}', id: 'f' }
  const message = {
    type: 'message',
    role: 'assistant',
    id: 'm',
    status: 'completed',
    content: [{ type: 'output_text', text: 'It is paid back.', annotations: [] }],
  }
  await using server = await startGuide(1, [responding(call), responding(message)])
  await using stream = new SseBytes(await ask(server.url, { form: '?approvals=wait' }))
  await stream.until('"approvalId":')
  await decide(server.url, approvalIn(stream.bytes), { approved: true })
  await stream.rest()
  expect((await loadAnswer(server.url)).parts).toMatchObject([
    { type: 'step-start' },
    {
      type: 'tool-refund',
      approval: { approved: true },
      output: expect.stringMatching(/^Paid A1 back to \w+\.$/),
    },
    { type: 'data-step' },
    { type: 'step-start' },
    { type: 'text', text: 'It is paid back.' },
  ])
})

/** A response of OpenAI that has one item. */
function responding(item: unknown): RecordedResponse {
  const response = { id: 'r', object: 'response', model: 'gpt-5.4-mini', status: 'in_progress', output: [] }
  const usage = { input_tokens: 7, output_tokens: 3, total_tokens: 10 }
  const events = [
    { type: 'response.created', response },
    { type: 'response.completed', response: { ...response, status: 'completed', output: [item], usage } },
  ]
  return { type: 'garbage', text: events.map(event => `data: ${JSON.stringify(event)}\n\n`).join('') }
}

/** Starts a server with the configuration in one code block of the guide, counted from 0. */
async function startGuide(block: number, script: readonly RecordedResponse[]) {
  const provider = await startRecordedProvider(script)
  const env = { OPENAI_API_KEY: 'test', OPENAI_BASE_URL: provider.url, OPENAI_AGENTS_DISABLE_TRACING: '1' }
  const server = await serveGuide({ guide: 'openai-agents', block, env })
  return {
    url: server.url,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await provider[Symbol.asyncDispose]()
    },
  }
}
