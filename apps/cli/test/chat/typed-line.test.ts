import { expect, test } from 'vitest'
import { readTyped } from '../../src/chat/converse.ts'

test.each([
  ['Hello, you', { type: 'say', text: 'Hello, you' }],
  ['  ', { type: 'nothing' }],
  ['/again', { type: 'again' }],
  ['/again  ', { type: 'again' }],
  ['/edit  Good evening', { type: 'edit', text: 'Good evening' }],
  ['/edit', { type: 'unknown', word: 'edit without a text' }],
  ['/dance now', { type: 'unknown', word: 'dance' }],
])('%j is a command, a message or nothing', (line, expected) => {
  expect(readTyped(line)).toEqual(expected)
})

test.each(['/etc/hosts', '/ what?', ' /again', '1 / 2'])('%j is a message', line => {
  expect(readTyped(line)).toEqual({ type: 'say', text: line.trim() })
})
