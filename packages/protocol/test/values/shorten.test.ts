import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shorten } from '../../src/values/text.ts'

test('a text that is short enough stays as it is', () => {
  expect(shorten('five!', 5)).toBe('five!')
  expect(shorten('', 0)).toBe('')
})

test('a text that is too long loses its end, and the ellipsis counts', () => {
  expect(shorten('a long text', 6)).toBe('a lon…')
  expect(shorten('a long text', 6, '...')).toBe('a l...')
})

test('no grapheme is cut in two', () => {
  expect(shorten('ab👩‍🚀👩‍🚀', 8)).toBe('ab👩‍🚀…')
  expect(shorten('ab👩‍🚀👩‍🚀', 7)).toBe('ab…')
  expect(shorten('cafe\u0301s', 5)).toBe('caf…')
})

test('the result is never longer than allowed, never has half a surrogate, and begins as the text does', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 20 }), (text, maxChars) => {
      const short = shorten(text, maxChars)
      expect(short.length).toBeLessThanOrEqual(maxChars)
      expect(short.isWellFormed()).toBe(true)
      if (short !== text) expect(text.startsWith(short.slice(0, -1))).toBe(true)
    }),
  )
})
