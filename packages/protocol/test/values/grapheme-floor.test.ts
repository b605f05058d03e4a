import { expect, test } from 'vitest'
import { graphemeFloor } from '../../src/values/text.ts'

test('no position inside a grapheme is a floor, whatever stands before the grapheme', () => {
  for (const character of ['é', '👍🏽', '👨‍👩‍👧‍👦', '🇩🇪', '🏴󠁧󠁢󠁳󠁣󠁴󠁿', '1️⃣', '각', 'क्षि', '\r\n']) {
    for (const before of ['', 'abc', '中文', '🇫🇷', '😀']) {
      const text = `${before}${character}x`
      if (before === '') continue
      for (let inside = 1; inside < character.length; inside += 1) {
        expect(graphemeFloor(text, before.length + inside)).toBe(before.length)
      }
      expect(graphemeFloor(text, before.length + character.length)).toBe(before.length + character.length)
    }
  }
})

test('flags in a long row are counted from its start', () => {
  const row = '🇩🇪🇫🇷'.repeat(200)
  for (const index of [400, 401, 402, 403]) expect(graphemeFloor(`x${row}`, 1 + index)).toBe(401)
})

test('a single grapheme that is too long is cut, but not through a surrogate pair', () => {
  expect(graphemeFloor(`e${'\u0301'.repeat(100)}`, 50)).toBe(50)
  expect(graphemeFloor('👨‍'.repeat(30), 31)).toBe(30)
})

test('the end of a text is a floor', () => {
  expect(graphemeFloor('abc', 3)).toBe(3)
  expect(graphemeFloor('abc', 9)).toBe(3)
})
