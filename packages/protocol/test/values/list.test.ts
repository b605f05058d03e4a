import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  emptyList,
  type List,
  listFrom,
  listGet,
  listPush,
  listSet,
  listToArray,
} from '../../src/values/list.ts'

// Lengths around 32 and 32 * 32, where a group is full and the list gets another level.
const edges = [0, 1, 31, 32, 33, 63, 64, 65, 1023, 1024, 1025, 1056, 1057, 2049]

type Change = { readonly type: 'push' | 'set'; readonly at: number; readonly item: number }

const changes: fc.Arbitrary<Change[]> = fc.array(
  fc.record({ type: fc.constantFrom('push', 'set'), at: fc.nat(), item: fc.integer() }),
  { maxLength: 80, size: 'max' },
)

test('a list equals an array under the same changes, and every older version stays as it was', () => {
  fc.assert(
    fc.property(fc.constantFrom(...edges), changes, (size, made) => {
      const items = numbers(size)
      const versions = [{ list: listFrom(items), array: items }]
      for (const change of made) {
        const last = versions.at(-1)
        if (last !== undefined) versions.push(changed(last, change))
      }
      for (const { list, array } of versions) {
        expect(list.size).toBe(array.length)
        expect(listToArray(list)).toEqual(array)
      }
      const last = versions.at(-1)
      last?.array.forEach((item, index) => {
        if (listGet(last.list, index) !== item) expect.fail(`item ${index} differs`)
      })
    }),
  )
})

test('two versions pushed from the same list do not see each other', () => {
  for (const size of edges) {
    const base = listFrom(numbers(size))
    const one = listPush(base, -1)
    const other = listPush(base, -2)
    expect(listToArray(one)).toEqual([...numbers(size), -1])
    expect(listToArray(other)).toEqual([...numbers(size), -2])
    expect(listToArray(base)).toEqual(numbers(size))
  }
})

test('a list built by pushes has every item at every size, past three levels of groups', () => {
  const size = 32 * 32 * 32 + 33
  let list: List<number> = emptyList()
  for (let index = 0; index < size; index += 1) {
    list = listPush(list, index)
    if (listGet(list, index) !== index) expect.fail(`item ${index} is missing`)
  }
  expect(listToArray(list)).toEqual(numbers(size))
  expect(listToArray(listPush(listFrom(numbers(size)), size))).toEqual(numbers(size + 1))
})

test('a change shares every group that it does not touch', () => {
  const before = listFrom(numbers(1025))
  const after = listSet(before, 0, -1)
  const groupsOf = ({ groups }: typeof before) => (groups === undefined ? [] : listToArray(groups))
  expect(groupsOf(before)).toHaveLength(32)
  expect(groupsOf(after)[0]).not.toBe(groupsOf(before)[0])
  expect(groupsOf(after)[1]).toBe(groupsOf(before)[1])
  expect(after.tail).toBe(before.tail)
})

test('there is nothing outside a list, and nothing can be set there', () => {
  for (const size of edges) {
    const list = listFrom(numbers(size))
    for (const index of [-1, size, size + 32, size * 32 + 1]) {
      expect(listGet(list, index)).toBeUndefined()
      expect(() => listSet(list, index, 1)).toThrow(RangeError)
    }
  }
})

function changed(
  { list, array }: { list: List<number>; array: number[] },
  { type, at, item }: Change,
): { list: List<number>; array: number[] } {
  if (type === 'push' || array.length === 0) return { list: listPush(list, item), array: [...array, item] }
  const index = at % array.length
  return { list: listSet(list, index, item), array: array.with(index, item) }
}

function numbers(size: number): number[] {
  return Array.from({ length: size }, (_, index) => index)
}
