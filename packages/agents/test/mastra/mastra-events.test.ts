import { expect, test } from 'vitest'
import type { AgentEvent } from '../../src/agent/agent-event.ts'
import { type MastraEvent, mastraEvents } from '../../src/mastra/mastra-events.ts'
import { asWritten } from '../message/as-written.ts'

const finish = (reason: string) => ({ type: 'finish', payload: { stepResult: { reason } } })
const call = { toolCallId: 'c', toolName: 'weather', args: { city: 'Oslo' } }

test('chunks that are not known are left out', async () => {
  const chunks = [{ type: 'start', payload: {} }, { type: 'data-progress', data: 1 }, { type: 'toString' }]
  expect(await eventsOf(...chunks)).toEqual([])
})

test('thoughts in the text become reasoning, also when their mark comes in two pieces', async () => {
  const texts = ['<thi', 'nk>Hm.</think>', 'Hello'].map(text => ({ type: 'text-delta', payload: { text } }))
  const events = asWritten((await eventsOf(...texts, { type: 'text-end', payload: {} })).filter(isOfAgent))
  expect(joined(events, 'reasoning-delta')).toBe('Hm.')
  expect(joined(events, 'text-delta')).toBe('Hello')
  expect(events.at(-1)).toMatchObject({ type: 'text-end' })
})

test('text that is held back comes out when the stream ends without an end of the text', async () => {
  expect(joined(await eventsOf({ type: 'text-delta', payload: { text: 'a <' } }), 'text-delta')).toBe('a <')
})

test('a step whose usage Mastra does not know has none', async () => {
  const payload = { output: { usage: {} }, metadata: {} }
  expect(await eventsOf({ type: 'step-finish', payload })).toEqual([{ type: 'step-end' }])
})

test('usage is counted for the model of the agent, and not for what the provider calls it', async () => {
  const usage = { inputTokens: 1, outputTokens: 2, totalTokens: undefined }
  const modelMetadata = { modelId: 'gpt-5.1', modelProvider: 'openai.responses' }
  const payload = { output: { usage }, metadata: { modelId: 'gpt-5.1-2026-02-01', modelMetadata } }
  expect(await eventsOf({ type: 'step-finish', payload })).toEqual([
    {
      type: 'step-end',
      model: 'openai:gpt-5.1',
      usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3 },
    },
  ])
})

test('of an agent inside a tool only the usage is taken, at any depth', async () => {
  const step = { type: 'step-finish', payload: { output: { usage: { inputTokens: 4 } }, metadata: {} } }
  const nested = { ...step, from: 'AGENT', runId: 'inner' }
  const deeper = { type: 'tool-output', payload: { ...call, output: nested }, from: 'USER', runId: 'middle' }
  const text = { type: 'text-delta', payload: { text: 'Hi' }, from: 'AGENT', runId: 'inner' }
  const outputs = [text, nested, deeper].map(output => ({
    type: 'tool-output',
    payload: { ...call, output },
  }))
  const counted = expect.objectContaining({ type: 'usage', model: 'unknown' })
  expect(await eventsOf(...outputs)).toEqual([counted, counted])
})

test('a result that says that the call has failed is an error of the call', async () => {
  const refused = { error: true, message: 'A city is missing.', validationErrors: {} }
  const results = [
    { ...call, result: refused },
    { ...call, result: 'Out of order.', isError: true },
    { ...call, result: { error: true, message: 'An output like any other.' } },
  ]
  const events = await eventsOf(...results.map(payload => ({ type: 'tool-result', payload })))
  expect(events).toMatchObject([
    { type: 'tool-error', errorText: 'A city is missing.' },
    { type: 'tool-error', errorText: 'Out of order.' },
    { type: 'tool-result', output: { message: 'An output like any other.' } },
  ])
})

test('sources and files of the model come through', async () => {
  const url = { id: 's', sourceType: 'url', title: 'Home', url: 'https://example.com' }
  const document = { id: 'd', sourceType: 'document', title: 'Report', mimeType: 'application/pdf' }
  const events = await eventsOf(
    { type: 'source', payload: url },
    { type: 'source', payload: document },
    { type: 'file', payload: { data: Uint8Array.of(1, 2), mimeType: 'image/png' } },
  )
  expect(events).toEqual([
    {
      type: 'source',
      chunk: { type: 'source-url', sourceId: 's', title: 'Home', url: 'https://example.com' },
    },
    {
      type: 'source',
      chunk: { type: 'source-document', sourceId: 'd', title: 'Report', mediaType: 'application/pdf' },
    },
    { type: 'file', chunk: { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,AQI=' } },
  ])
})

test('what ends the run without an answer is an error', async () => {
  const reason = 'No names.'
  const events = await eventsOf({ type: 'tripwire', payload: { reason } }, { type: 'abort', payload: {} })
  const messages = events.map(event => (event.type === 'error' ? String(event.error) : event.type))
  expect(messages).toEqual([
    'Error: A processor of the agent stopped it: No names.',
    'Error: Mastra aborted the run.',
  ])
})

test('a processor that wants another attempt ends nothing', async () => {
  const payload = { reason: 'Shorter, please.', retry: true }
  expect(await eventsOf({ type: 'tripwire', payload })).toEqual([])
})

test.each([
  ['stop', 'stop'],
  ['length', 'length'],
  ['tripwire', 'error'],
  ['retry', 'other'],
])('the finish reason %s is %s', async (reason, finishReason) => {
  expect(await eventsOf(finish(reason))).toEqual([{ type: 'finish', finishReason }])
})

interface Chunk {
  readonly type: string
  readonly payload?: unknown
  readonly data?: unknown
}

async function eventsOf(...chunks: readonly Chunk[]) {
  return Array.fromAsync(mastraEvents(streamed(chunks)))
}

async function* streamed(chunks: readonly Chunk[]): AsyncGenerator<Chunk> {
  yield* chunks
}

function isOfAgent(event: MastraEvent): event is AgentEvent {
  return event.type !== 'usage' && event.type !== 'waiting'
}

function joined(
  events: readonly { readonly type: string; readonly text?: string | undefined }[],
  type: 'text-delta' | 'reasoning-delta',
): string {
  return events.map(event => (event.type === type ? event.text : '')).join('')
}
