import { expect, test } from 'vitest'
import { GraphReader } from '../../src/langgraph/graph-reader.ts'

// The real callbacks of LangChain are tested in `integrations`. Here they come in orders that are hard to force there.

const call = { type: 'tool_call', id: 'a', name: 'weather', args: { city: 'Lisbon' } }
const result = { type: 'tool', content: '{"sky":"clear"}', tool_call_id: 'a' }
const node = { runId: 'node', name: 'tools', metadata: { langgraph_node: 'tools' } }

function saying(text: string) {
  return { content: text, contentBlocks: [{ type: 'text', text }] }
}

test('a model that begins while a tool of another branch works shares the step of its call', () => {
  const reader = new GraphReader({})
  reader.modelStart({ runId: 'model' })
  expect(reader.modelEnd({ id: 'm1', content: '', tool_calls: [call] }, 'model')).toMatchObject([
    { type: 'tool-call', toolCallId: 'a' },
  ])
  reader.nodeStart({}, node)
  reader.toolStart({ input: '{}', name: 'weather', toolCallId: 'a' }, { runId: 'tool', parentId: 'node' })
  expect(reader.modelStart({ runId: 'other' })).toEqual([])
  reader.toolEnd('tool')
  expect(reader.nodeEnd({ messages: [result] }, 'node')).toMatchObject([
    { type: 'tool-result', toolCallId: 'a', input: { city: 'Lisbon' }, output: { sky: 'clear' } },
  ])
  reader.modelEnd(saying('Hello.'), 'other')
  expect(reader.modelStart({ runId: 'next' })).toEqual([{ type: 'step-end' }, { type: 'step-start' }])
})

test('a model inside of a tool is not shown at any depth, but its usage is counted', () => {
  const counted: string[] = []
  const reader = new GraphReader({ countUsage: model => counted.push(model) })
  reader.toolStart({ input: '{}', name: 'expert', toolCallId: 'a' }, { runId: 'tool' })
  reader.nodeStart({}, { ...node, parentId: 'tool' })
  const metadata = { ls_provider: 'test', ls_model_name: 'inner' }
  expect(reader.modelStart({ runId: 'model', parentId: 'node', metadata })).toEqual([])
  expect(reader.modelChunk(saying('Hidden.'), 'model')).toEqual([])
  const message = { ...saying('Hidden.'), usage_metadata: { input_tokens: 1, output_tokens: 1 } }
  expect(reader.modelEnd(message, 'model')).toEqual([])
  expect(reader.nodeEnd({ messages: [{ type: 'ai', ...saying('Hidden.') }] }, 'node')).toEqual([])
  expect(counted).toEqual(['test:inner'])
})

test('the call of a tool that no model has shown is shown when the tool begins', () => {
  const reader = new GraphReader({})
  expect(
    reader.toolStart({ input: '{"city":"Oslo"}', name: 'weather', toolCallId: 'a' }, { runId: 'tool' }),
  ).toEqual([{ type: 'tool-call', toolCallId: 'a', toolName: 'weather', input: { city: 'Oslo' } }])
})

test('an error of a tool that is called again is not shown, the result is', () => {
  const reader = new GraphReader({})
  const tool = { input: '{}', name: 'weather', toolCallId: 'a' }
  reader.nodeStart({}, node)
  reader.toolStart(tool, { runId: 'first' })
  reader.toolError(new Error('busy'), 'first')
  expect(reader.toolStart(tool, { runId: 'second' })).toEqual([])
  reader.toolEnd('second')
  expect(reader.nodeEnd([result], 'node')).toMatchObject([{ type: 'tool-result' }])
  expect(reader.fail()).not.toContainEqual(expect.objectContaining({ type: 'tool-error' }))
})

test('results of earlier answers are ignored, and so are values that are no messages', () => {
  const reader = new GraphReader({})
  for (const output of [{ messages: [result] }, [null, 7, 'text'], undefined, { messages: null }]) {
    reader.nodeStart({}, node)
    expect(reader.nodeEnd(output, 'node')).toEqual([])
  }
})

test('text that is JSON comes back as JSON only where nothing is lost', () => {
  const output = (content: unknown) => {
    const reader = new GraphReader({})
    reader.nodeStart({}, node)
    reader.toolStart({ input: '{}', name: 'weather', toolCallId: 'a' }, { runId: 'tool' })
    const [event] = reader.nodeEnd({ messages: [{ ...result, content }] }, 'node')
    return event?.type === 'tool-result' ? event.output : undefined
  }
  expect(output('{"sky":"clear"}')).toEqual({ sky: 'clear' })
  expect(output('{"id":12345678901234567890}')).toBe('{"id":12345678901234567890}')
  expect(output('clear')).toBe('clear')
  expect(output([{ type: 'text', text: 'clear' }])).toEqual([{ type: 'text', text: 'clear' }])
})
