import { expect, test } from 'vitest'
import type { ToolPart } from '../../src/message/message.ts'
import { toolInput } from '../../src/message/tool-call.ts'

const arriving = { type: 'tool-search', toolCallId: 'c', state: 'input-streaming' } as const

test('an arriving input is read as far as it has come, once per part', () => {
  const part: ToolPart = { ...arriving, rawInput: '{"query":"thr' }
  expect(toolInput(part)).toEqual({ query: 'thr' })
  expect(toolInput(part)).toBe(toolInput(part))
})

test('an input that is text is not read as JSON', () => {
  expect(toolInput({ ...arriving, rawInput: '{"a":1}', inputEncoding: 'text' })).toBe('{"a":1}')
})

test('an input that has arrived is itself, and none is none', () => {
  const input = { query: 'x' }
  expect(toolInput({ ...arriving, state: 'input-available', input, rawInput: '{}' })).toBe(input)
  expect(toolInput({ ...arriving, state: 'input-available', input: null, rawInput: '{}' })).toBeNull()
  expect(toolInput(arriving)).toBeUndefined()
  expect(toolInput({ ...arriving, rawInput: '' })).toBeUndefined()
})
