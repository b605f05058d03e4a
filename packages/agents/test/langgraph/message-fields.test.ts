import { expect, test } from 'vitest'
import { contentOf, messagesIn } from '../../src/langgraph/message-fields.ts'

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
  expect(contentOf(fields)).toEqual([{ type: 'reasoning', text: 'Hm.' }])
})

test('a picture is a file, and blocks that are not known are left out', () => {
  const contentBlocks = [
    { type: 'image', mimeType: 'image/png', data: 'iVBORw0KGgo=' },
    { type: 'image', url: 'https://example.com/picture.png' },
    { type: 'tool_call', id: 'a', name: 'weather', args: {} },
    { type: 'text', text: '' },
  ]
  expect(contentOf({ contentBlocks })).toEqual([
    { type: 'file', mediaType: 'image/png', data: 'iVBORw0KGgo=' },
  ])
})
