import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatCost } from '../../src/values/text.ts'

test.each([
  [null, undefined],
  [undefined, undefined],
  [0, '$0'],
  [0.000_01, '<$0.0001'],
  [0.0001, '$0.0001'],
  [0.0025, '$0.0025'],
  [12.5, '$12.5000'],
])('%s dollars are shown as %s', (dollars, shown) => {
  expect(formatCost(dollars)).toBe(shown)
})

test('a cost above nothing never looks like nothing', () => {
  fc.assert(
    fc.property(fc.double({ min: Number.MIN_VALUE, max: 1_000, noNaN: true }), dollars => {
      expect(formatCost(dollars)).not.toBe('$0.0000')
    }),
  )
})
