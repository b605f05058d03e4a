import { expect, test } from 'vitest'
import { parseJson } from '../../src/values/json.ts'

test.each([
  ['{"a":[1,null]}', { a: [1, null] }],
  ['"text"', 'text'],
  ['null', null],
  ['0', 0],
])('JSON is read: %s', (text, value) => {
  expect(parseJson(text)).toEqual(value)
})

test.each(['', '{', '{"a":1}}', 'undefined', "{'a':1}"])('what is not JSON is undefined: %s', text => {
  expect(parseJson(text)).toBeUndefined()
})
