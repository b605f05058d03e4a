import fc from 'fast-check'
import { expect, test } from 'vitest'
import { newTextIn } from '../../src/values/text.ts'

test('a full text that grows piece by piece adds up to itself, whatever is repeated on the way', () => {
  const lengths = fc.array(fc.nat(40), { maxLength: 10 })
  fc.assert(
    fc.property(fc.string({ maxLength: 40 }), lengths, (text, seenLengths) => {
      const growing = [...seenLengths.sort((one, other) => one - other), text.length]
      const shown = growing.reduce((seen, length) => seen + newTextIn(text.slice(0, length), seen), '')
      expect(shown).toBe(text)
    }),
  )
})

test('a text that was seen adds nothing, and one that was not is all new', () => {
  expect(newTextIn('Hello.', 'Hello.')).toBe('')
  expect(newTextIn('', 'Hello.')).toBe('')
  expect(newTextIn('Hello.', '')).toBe('Hello.')
  expect(newTextIn('Other.', 'Hello.')).toBe('Other.')
})
