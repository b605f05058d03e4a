import { expect, test } from 'vitest'
import { isTooDeep, parsePartialJson } from '../../src/values/json.ts'

test.each(['[', '{"a":'])('%s may be nested as deep as allowed, and no deeper', opener => {
  const closer = opener === '[' ? ']' : '}'
  const nested = (depth: number) => JSON.parse(`${opener.repeat(depth)}1${closer.repeat(depth)}`)
  expect(isTooDeep(1, 0)).toBe(false)
  expect(isTooDeep(nested(3), 3)).toBe(false)
  expect(isTooDeep(nested(4), 3)).toBe(true)
  expect(isTooDeep([1, 'two', nested(2)], 3)).toBe(false)
  expect(isTooDeep([1, 'two', nested(3)], 3)).toBe(true)
  expect(isTooDeep(nested(256))).toBe(false)
  expect(isTooDeep(nested(257))).toBe(true)
  expect(isTooDeep(nested(1_000_000))).toBe(true)
})

test('JSON that is still arriving has no value when it is nested too deeply', () => {
  expect(parsePartialJson(`${'['.repeat(3)}1`)).toEqual([[[1]]])
  expect(parsePartialJson(`${'['.repeat(5_000)}1`)).toBeUndefined()
})
