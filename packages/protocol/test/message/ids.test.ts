import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  createId,
  idRule,
  isAgentName,
  isChatId,
  isMessageId,
  isOwnerId,
  isRunId,
} from '../../src/message/ids.ts'

const kinds = [isOwnerId, isChatId, isMessageId, isRunId]
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.:-'

test('an id is 1 to 128 characters of its alphabet, and survives a URL as it is', () => {
  const ids = fc.string({ unit: fc.constantFrom(...alphabet), minLength: 1, maxLength: 128, size: 'max' })
  fc.assert(
    fc.property(ids, id => {
      const isPath = id === '.' || id === '..'
      expect(kinds.map(isKind => isKind(id))).toEqual(kinds.map(() => !isPath))
      const { pathname } = new URL(`http://host/api/chats/${isPath ? 'x' : id}/log`)
      if (!isPath) expect(pathname).toBe(`/api/chats/${id}/log`)
    }),
  )
})

test('a string with any character outside the alphabet is no id', () => {
  const outside = fc
    .string({ unit: 'binary', minLength: 1 })
    .filter(text => ![...text].every(c => alphabet.includes(c)))
  fc.assert(
    fc.property(outside, text => {
      expect(kinds.some(isKind => isKind(text))).toBe(false)
    }),
  )
})

test.each([
  '',
  '.',
  '..',
  'a'.repeat(129),
  'a\n',
  'a\r',
  '\na',
  'a b',
  'a/b',
  'a\\b',
  '../a',
  'a?b',
  'a#b',
  '%2e',
  'é',
  'ａ',
  '你',
  'a\0',
  1,
  null,
  undefined,
  ['a'],
  { toString: () => 'a' },
])('%j is no id', value => {
  expect(kinds.some(isKind => isKind(value))).toBe(false)
})

test('a created id is an id of its kind, tells the kind by its prefix, and is new', () => {
  const ids = Array.from({ length: 1000 }, () => createId(isMessageId, 'msg'))
  expect(new Set(ids).size).toBe(1000)
  expect(ids.every(id => isMessageId(id) && /^msg_[0-9a-f]{32}$/.test(id))).toBe(true)
})

test('a prefix that would make no id is refused with the rule', () => {
  expect(() => createId(isRunId, 'a b')).toThrow(`The id prefix "a b" is not allowed. ${idRule}.`)
  expect(() => createId(isRunId, 'x'.repeat(96))).toThrow('is not allowed')
})

test.each([
  'master',
  'a.b:c_d-1',
  '司仪',
  'Ünïcode',
  'مساعد',
  'सहायक',
  '조수',
  '𠮷野',
  'x'.repeat(128),
  '𠮷'.repeat(128),
])('an agent can be called %s', name => {
  expect(isAgentName(name)).toBe(true)
})

test.each([
  ['nothing', ''],
  ['a dot', '.'],
  ['two dots', '..'],
  ['more than 128 characters', '司'.repeat(129)],
  ['a space', 'a b'],
  ['a slash', 'a/b'],
  ['a line', 'a\nb'],
  ['an emoji', '🤖'],
  ['a zero-width joiner', 'ab\u200dc'],
  ['a change of direction', 'a\u202eb'],
  ['an invisible letter', 'a\u3164'],
  ['a variation selector', '司\ufe00'],
  ['a mark without a letter', '\u0301a'],
  ['a letter and its mark apart', 'e\u0301'],
  ['half a character', '\ud83d'],
])('an agent cannot be called by %s', (_, name) => {
  expect(isAgentName(name)).toBe(false)
})
