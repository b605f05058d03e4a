import fc from 'fast-check'
import { expect, test } from 'vitest'
import { keyedFrom, keyedIndexOf, keyedPut, keyedToArray } from '../../src/values/list.ts'

const ids = ['a', 'b', 'c', 'd']

/** Each put: to which of the versions so far, which id, and at which index. Too high an index means the end. */
const puts = fc.array(fc.tuple(fc.nat(20), fc.constantFrom(...ids), fc.nat(6)), { maxLength: 20 })

test('every version finds the last item of each id, whatever was made from it and from the others', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...ids)), puts, (first, all) => {
      const items = first.map(id => ({ id }))
      const versions = [{ list: keyedFrom(items), items }]
      for (const [version, id, wanted] of all) {
        const from = versions[version % versions.length] ?? versions[0]
        if (from === undefined) continue
        const index = wanted < from.items.length ? wanted : -1
        const item = { id }
        versions.push({
          list: keyedPut(from.list, index, item),
          items: index === -1 ? [...from.items, item] : from.items.with(index, item),
        })
      }
      for (const { list, items } of versions) {
        expect(keyedToArray(list)).toEqual(items)
        for (const id of ids) expect(keyedIndexOf(list, id)).toBe(items.findLastIndex(item => item.id === id))
      }
    }),
  )
})
