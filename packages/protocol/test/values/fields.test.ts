import { expect, expectTypeOf, test } from 'vitest'
import { defined } from '../../src/values/fields.ts'

test('undefined fields are left out, all others stay', () => {
  const fields = defined({ a: 1, b: undefined, c: null, d: '', e: false, f: 0 })
  expect(Object.entries(fields)).toEqual([
    ['a', 1],
    ['c', null],
    ['d', ''],
    ['e', false],
    ['f', 0],
  ])
})

test('a field that may be undefined becomes one that may be missing', () => {
  interface Titled {
    id: string
    title?: string
  }
  const title = ['a title'].at(1)
  const titled: Titled = { id: 'a', ...defined({ title }) }
  expect(titled).toEqual({ id: 'a' })
  expect('title' in titled).toBe(false)
  expectTypeOf(defined({ title })).toEqualTypeOf<{ title?: string }>()
})
