import { expect, test } from 'vitest'
import {
  fillSentence,
  readServerSentence,
  serverSentence,
  serverSentences,
} from '../../src/wire/sentences.ts'

test('every sentence is found again by its text, with its values', () => {
  for (const [code, sentence] of Object.entries(serverSentences)) {
    const names = [...sentence.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
    const values = Object.fromEntries(names.map((name, index) => [name, `value (${index}).`]))
    expect(readServerSentence(fillSentence(sentence, values))).toEqual({ code, values })
  }
})

test('what others write is none of the sentences', () => {
  for (const text of [
    '',
    'Stopped',
    'Stopped by the user. And more.',
    'Rate limit reached.',
    '"'.repeat(100_000),
  ])
    expect(readServerSentence(text)).toBeUndefined()
})

test('a sentence is not said without its values', () => {
  expect(() => serverSentence('agent-slow')).toThrow('needs a value for "agent"')
  expect(serverSentence('provider-key', { status: 401 })).toContain('(401)')
})
