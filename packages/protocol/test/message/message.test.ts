import { expect, test } from 'vitest'
import {
  isDataPart,
  isToolPart,
  type Message,
  type Part,
  textOf,
  toolNameOf,
} from '../../src/message/message.ts'

const search: Part = { type: 'tool-search', toolCallId: 'c', state: 'input-available' }
const dynamic: Part = { type: 'dynamic-tool', toolName: 'find', toolCallId: 'd', state: 'input-available' }

test('tool parts and data parts are known by their type, and a tool by its name', () => {
  const parts: Part[] = [search, dynamic, { type: 'data-note', data: 1 }, { type: 'text', text: 'tool-' }]
  expect(parts.map(isToolPart)).toEqual([true, true, false, false])
  expect(parts.map(isDataPart)).toEqual([false, false, true, false])
  expect(parts.filter(isToolPart).map(toolNameOf)).toEqual(['search', 'find'])
})

test('the text of a message is its text parts, apart from each other, and nothing else', () => {
  const message: Message = {
    id: 'm',
    role: 'assistant',
    parts: [
      { type: 'text', text: 'Before.' },
      { type: 'reasoning', text: 'hidden' },
      search,
      { type: 'text', text: '' },
      { type: 'text', text: 'After.' },
    ],
  }
  expect(textOf(message)).toBe('Before.\n\nAfter.')
})
