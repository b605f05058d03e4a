import { expect, test } from 'vitest'
import { callsIn, messagesIn, piecesIn, typeOf } from '../../src/langgraph/message-fields.ts'

const message = { type: 'ai', content: 'Hello.' }

test.each([
  ['alone', message],
  ['in a list', [message]],
  ['in a channel of the state', { messages: [message], count: 1 }],
  ['in a channel that is one message', { last: message }],
  ['in a Command', { lg_name: 'Command', update: { messages: [message] } }],
  ['in a list of Commands', [{ lg_name: 'Command', update: { messages: [message] } }]],
])('a message is found %s', (_, output) => {
  expect(messagesIn(output)).toEqual([message])
})

test.each([
  ['a standard block', { contentBlocks: [{ type: 'reasoning', reasoning: 'Hm.' }] }],
  ['a block of Anthropic', { contentBlocks: [{ type: 'thinking', thinking: 'Hm.' }] }],
  ['a field of its own', { contentBlocks: [], additional_kwargs: { reasoning_content: 'Hm.' } }],
])('reasoning is found in %s', (_, fields) => {
  expect(piecesIn(fields)).toEqual([{ type: 'reasoning', text: 'Hm.' }])
})

test('a picture is a file, and blocks that are not known are left out', () => {
  const contentBlocks = [
    { type: 'image', mimeType: 'image/png', data: 'iVBORw0KGgo=' },
    { type: 'image', url: 'https://example.com/picture.png' },
    { type: 'tool_call', id: 'a', name: 'weather', args: {} },
    { type: 'text', text: '' },
  ]
  expect(piecesIn({ contentBlocks })).toEqual([
    { type: 'file', mediaType: 'image/png', data: 'iVBORw0KGgo=' },
  ])
})

test.each([
  ['a role', { role: 'assistant', content: 'Hello.' }],
  ['a type', { type: 'ai', content: 'Hello.' }],
  ['a list of blocks', { role: 'ai', content: [{ type: 'text', text: 'Hello.' }] }],
])('a message that is a plain object with %s is read', (_, plain) => {
  expect(messagesIn({ messages: [plain] })).toEqual([plain])
  expect(typeOf(plain)).toBe('ai')
  expect(piecesIn(plain)).toEqual([{ type: 'text', text: 'Hello.' }])
})

test('what has a role and no content, or a role that nobody knows, is no message', () => {
  expect(messagesIn([{ role: 'assistant' }, { role: 'admin', content: 'x' }, { content: 'x' }])).toEqual([])
})

test('the calls of a plain object are read as LangChain and as OpenAI write them', () => {
  const calls = [
    { id: 'a', name: 'weather', args: { city: 'Oslo' } },
    { id: 'b', type: 'function', function: { name: 'weather', arguments: '{"city":"Bonn"}' } },
  ]
  expect(callsIn({ role: 'assistant', content: '', tool_calls: calls })).toEqual([
    { id: 'a', name: 'weather', args: { city: 'Oslo' } },
    { id: 'b', name: 'weather', args: { city: 'Bonn' } },
  ])
})
