import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { modelAgent } from '@throughline/agents'
import { isRecord } from '@throughline/protocol'
import { ask, loadAnswer } from '@throughline/testing/http/chat-requests'
import { SseBytes } from '@throughline/testing/http/sse-bytes'
import { type RecordedResponse, startRecordedProvider } from '@throughline/testing/provider/recorded-provider'
import { startTestServer } from '@throughline/testing/server/test-server'
import { type LanguageModel, type ToolSet, tool } from 'ai'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { startServer } from '../../src/start-server.ts'

// The recorded models are unknown to the SDK, which warns of each of them.
globalThis.AI_SDK_LOG_WARNINGS = false

const apiKey = 'not-a-key'
const anthropic = (baseURL: string) => createAnthropic({ baseURL, apiKey })('claude-recorded')
const openai = (baseURL: string) => createOpenAI({ baseURL, apiKey }).responses('gpt-recorded')

test('Anthropic gets the text of a cut step and a note, without the reasoning that it had not signed', async () => {
  const requests = await requestsAround(anthropic, {
    cut: { type: 'silence', name: 'anthropic.thinking.1', style: 'anthropic', afterEvents: 5 },
    moment: '"type":"reasoning-delta"',
    rest: { type: 'recording', name: 'anthropic.text-tool-text.2', style: 'anthropic' },
  })
  expect(requests).toHaveLength(2)
  expect(JSON.stringify(requests[1])).not.toContain('thinking')
  expect(rolesIn(requests[1])).toEqual(['user'])
})

test('OpenAI gets the text of a cut step and a note, without the id of an item that it never stored', async () => {
  const requests = await requestsAround(openai, {
    cut: { type: 'silence', name: 'openai-responses.text-tool-text.1', style: 'openai', afterEvents: 8 },
    moment: '"type":"text-delta"',
    rest: { type: 'recording', name: 'openai-responses.text-tool-text.2', style: 'openai' },
  })
  const text = JSON.stringify(requests[1])
  expect(text).not.toMatch(/quay|item_reference/)
  expect(text).toContain('Go on exactly where it ends')
  expect(text).toContain('"role":"assistant"')
})

test('OpenAI gets the call of a cut step with its outcome, without the ids of its items, also in later answers', async () => {
  const called = Promise.withResolvers<void>()
  const weather = tool({
    inputSchema: z.object({ city: z.string() }),
    execute(): Promise<string> {
      called.resolve()
      return new Promise(() => undefined)
    },
  })
  const rest: RecordedResponse = {
    type: 'recording',
    name: 'openai-responses.text-tool-text.2',
    style: 'openai',
  }
  const requests = await requestsAround(openai, {
    cut: { type: 'recording', name: 'openai-responses.text-tool-text.1', style: 'openai' },
    moment: '"type":"tool-input-available"',
    until: called.promise,
    tools: { weather },
    rest,
    later: rest,
  })
  for (const request of requests.slice(1)) {
    const text = JSON.stringify(request)
    expect(text).not.toMatch(/msg_quay_01|fc_quay_01/)
    expect(text).toContain('The outcome of this call is unknown')
    expect(text).toContain('function_call_output')
  }
})

interface Around {
  /** The response that is cut, and what a viewer has seen of it by then. */
  readonly cut: RecordedResponse
  readonly moment: string
  readonly until?: Promise<void>
  readonly tools?: ToolSet
  /** The response with which the answer goes on. */
  readonly rest: RecordedResponse
  /** The response to another question. */
  readonly later?: RecordedResponse
}

/** Returns the requests to a provider whose response is cut off, because another process takes the store over. */
async function requestsAround(
  model: (url: string) => LanguageModel,
  around: Around,
): Promise<readonly unknown[]> {
  const { cut, rest, later, moment, until, tools = {} } = around
  await using provider = await startRecordedProvider([cut, rest, ...(later === undefined ? [] : [later])])
  const agents = [modelAgent({ name: 'assistant', model: model(provider.url), tools })]
  await using dead = await startTestServer({ agents })
  await using stream = new SseBytes(await ask(dead.url))
  await stream.until(moment)
  await until
  const options = { store: dead.store, agents, logger: pino({ level: 'silent' }), port: 0 }
  await using server = await startServer(options)
  await expect.poll(async () => (await loadAnswer(server.url)).metadata?.status).toBe('finished')
  if (later !== undefined) await (await ask(server.url, { messageId: 'later', text: 'And now?' })).text()
  return provider.requests
}

function rolesIn(request: unknown): readonly unknown[] {
  const messages = isRecord(request) && Array.isArray(request['messages']) ? request['messages'] : []
  return messages.map(message => (isRecord(message) ? message['role'] : undefined))
}
