import fc from 'fast-check'
import { expect, test } from 'vitest'
import { countWords, quoteStart, splitWords } from '../../src/demo/demo-words.ts'

test('words joined again are the text, whatever it is', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.lorem(), fc.constant(' \n 你好 a\n')), text => {
      expect(splitWords(text).join('')).toBe(text)
    }),
    { numRuns: 1000 },
  )
})

test.each([
  ['', 0],
  [' \n ', 0],
  ['one', 1],
  [' one  two\nthree ', 3],
  ['你好，世界', 5],
  ['in 北京 today', 4],
])('"%s" has %d words', (text, words) => {
  expect(countWords(text)).toBe(words)
})

test('a text is shortened between characters as people see them', () => {
  expect(quoteStart('👩‍🚀👩‍🚀👩‍🚀', 14)).toBe('👩‍🚀👩‍🚀…')
  expect(quoteStart('  just\n this ', 9)).toBe('just this')
})
