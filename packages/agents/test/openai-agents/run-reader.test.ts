import { expect, test } from 'vitest'
import type { TokenCounts } from '../../src/agent/agent-event.ts'
import { RunReader } from '../../src/openai-agents/run-reader.ts'
import type { ModelEvent, RunEvent, RunItem } from '../../src/openai-agents/streamed-run.ts'

// integrations/openai-agents*.test.ts test the adapter with the real SDK. Here is what the SDK does only with some providers.

test('a model that streams nothing and says no start has its whole answer shown', () => {
  const { reader, counted } = newReader('gpt-5')
  const output = [
    { type: 'reasoning', content: [], rawContent: [{ text: 'They greet me.' }] },
    { role: 'assistant', content: [{ type: 'output_text', text: 'Hello!' }] },
  ]
  const usage = { inputTokens: 3, outputTokens: 2, totalTokens: 5 }
  expect(reader.read(model({ type: 'response_done', response: { output, usage } }))).toEqual([
    { type: 'step-start' },
    { type: 'reasoning-delta', text: 'They greet me.' },
    { type: 'text-delta', text: 'Hello!' },
    { type: 'response-done' },
  ])
  expect(counted).toEqual([{ counts: usage, model: 'openai:gpt-5' }])
})

test('what a model has streamed only in part is completed by its response', () => {
  const { reader } = newReader()
  reader.read(model({ type: 'response_started' }))
  reader.read(model({ type: 'output_text_delta', delta: 'Hello' }))
  const output = [{ role: 'assistant', content: [{ type: 'output_text', text: 'Hello, you.' }] }]
  const events = reader.read(model({ type: 'response_done', response: { output } }))
  expect(events).toContainEqual({ type: 'text-delta', text: ', you.' })
})

test('an event of the provider after the response begins no step', () => {
  const { reader } = newReader()
  reader.read(model({ type: 'response_done', response: {} }))
  expect(reader.read(model({ type: 'model', event: { type: 'response.completed' } }))).toEqual([])
})

test('a tool that the provider runs is a call with its result', () => {
  const { reader } = newReader()
  const rawItem = { type: 'hosted_tool_call', id: 'ws', name: 'web_search_call', status: 'completed' }
  expect(reader.read(item({ type: 'tool_call_item', rawItem }))).toMatchObject([
    { type: 'tool-call', toolCallId: 'ws', toolName: 'web_search_call', providerExecuted: true },
    { type: 'tool-result', toolCallId: 'ws', output: 'completed' },
  ])
})

test('a picture that the provider makes is a file of the answer', () => {
  const { reader } = newReader()
  const rawItem = { type: 'hosted_tool_call', id: 'ig', name: 'image_generation_call', output: 'AAAA' }
  expect(reader.read(item({ type: 'tool_call_item', rawItem })).at(-1)).toEqual({
    type: 'file',
    chunk: { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,AAAA' },
  })
})

test('a call that failed at the provider has an error', () => {
  const { reader } = newReader()
  const providerData = { type: 'mcp_call', name: 'find', arguments: '{"word":"a"}', error: 'No such page.' }
  const rawItem = { type: 'hosted_tool_call', id: 'mcp', name: 'mcp_call', providerData }
  expect(reader.read(item({ type: 'tool_call_item', rawItem }))).toMatchObject([
    { type: 'tool-call', toolName: 'find', input: { word: 'a' } },
    { type: 'tool-error', errorText: 'No such page.' },
  ])
})

test('the tools of the SDK that have no name are called by their type', () => {
  const { reader } = newReader()
  const call = { type: 'shell_call', callId: 'sh', action: { commands: ['ls'] } }
  const result = { type: 'shell_call_output', callId: 'sh', output: [{ stdout: 'a.txt' }] }
  expect([
    ...reader.read(item({ type: 'tool_call_item', rawItem: call })),
    ...reader.read(item({ type: 'tool_call_output_item', rawItem: result, output: 'a.txt' })),
  ]).toMatchObject([
    { type: 'tool-call', toolCallId: 'sh', toolName: 'shell', input: { commands: ['ls'] } },
    { type: 'tool-result', toolCallId: 'sh', toolName: 'shell', output: 'a.txt' },
  ])
})

test('an item that comes again is left out', () => {
  const { reader } = newReader()
  const event = item({ type: 'tool_call_item', rawItem: { callId: 'a', name: 'weather', arguments: '{}' } })
  expect(reader.read(event)).toHaveLength(1)
  expect(reader.read(event)).toEqual([])
})

function newReader(modelName = '') {
  const counted: { readonly counts: TokenCounts; readonly model: string | undefined }[] = []
  const reader = new RunReader({
    agent: { name: 'support', model: modelName },
    countUsage: (counts, name) => counted.push({ counts, model: name }),
  })
  return { reader, counted }
}

function model(data: ModelEvent): RunEvent {
  return { type: 'raw_model_stream_event', data }
}

function item(value: RunItem): RunEvent {
  return { type: 'run_item_stream_event', item: value }
}
