import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toJsonValue } from '../../src/values/json-value.ts'

test('JSON stays what it is, and becomes a copy', () => {
  fc.assert(
    fc.property(fc.jsonValue(), value => {
      const copy = toJsonValue(value)
      expect(copy).toEqual(JSON.parse(JSON.stringify(value)))
      if (typeof value === 'object' && value !== null) expect(copy).not.toBe(value)
    }),
  )
})

test('any value at all becomes something that JSON carries unchanged', () => {
  fc.assert(
    fc.property(fc.anything({ withBigInt: true, withDate: true, withMap: true }), value => {
      const copy = toJsonValue(value)
      expect(JSON.parse(JSON.stringify(copy))).toEqual(copy)
    }),
  )
})

test.each([257, 5_000, 100_000])('a value that is %i levels deep becomes a text that says so', depth => {
  expect(toJsonValue(JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`))).toBe(
    'A value that is nested deeper than 256 levels.',
  )
})

const cyclic: Record<string, unknown> = {}
cyclic['self'] = cyclic
const hostile = {
  toJSON: () => fail(),
  toString: () => fail(),
}

test.each([
  ['undefined', undefined, null],
  ['a function', () => 1, null],
  ['a big integer', { n: 12n }, { n: '12' }],
  ['a date', new Date(0), '1970-01-01T00:00:00.000Z'],
  ['a number that JSON has not', [Number.NaN, Number.POSITIVE_INFINITY], [null, null]],
  ['a cycle', cyclic, '[object Object]'],
  ['an object that cannot be written at all', hostile, 'A value that cannot be written down.'],
  [
    'an object without a prototype that holds a cycle',
    Object.assign(Object.create(null), { cyclic }),
    'A value that cannot be written down.',
  ],
])('%s gets a value', (_, value, expected) => {
  expect(toJsonValue(value)).toEqual(expected)
})

function fail(): never {
  throw new Error('This must not reach the log.')
}
