import fc from 'fast-check'
import { expect, test } from 'vitest'
import { scrollTopFor, visibleRows } from '../../src/inspector/entry-list.tsx'

const lists = fc.record({
  count: fc.nat(1_000_000),
  rowHeight: fc.integer({ min: 10, max: 60 }),
  scrollTop: fc.integer({ min: -100, max: 40_000_000 }),
  height: fc.nat(3_000),
})

test('every row in sight is drawn, and never more than fit into the box with 24 beside it', () => {
  fc.assert(
    fc.property(lists, list => {
      const { first, end } = visibleRows(list)
      expect(first).toBeGreaterThanOrEqual(0)
      expect(end).toBeLessThanOrEqual(list.count)
      expect(end - first).toBeLessThanOrEqual(Math.ceil(list.height / list.rowHeight) + 2 + 24)
      const largest = Math.max(0, list.count * list.rowHeight - list.height)
      const top = Math.max(0, Math.min(list.scrollTop, largest))
      const inSight = visibleRows({ ...list, scrollTop: top })
      const [topRow, bottomRow] = [top, top + list.height - 1].map(at => Math.floor(at / list.rowHeight))
      if (list.count === 0 || list.height === 0 || topRow === undefined || bottomRow === undefined) return
      expect(inSight.first).toBeLessThanOrEqual(topRow)
      expect(inSight.end).toBeGreaterThan(Math.min(bottomRow, list.count - 1))
    }),
  )
})

test('a row that is chosen comes into sight, and a row in sight does not move the list', () => {
  fc.assert(
    fc.property(lists, fc.nat(1_000_000), ({ rowHeight, height: extra, scrollTop }, row) => {
      const view = { rowHeight, height: rowHeight + extra, scrollTop: Math.max(0, scrollTop) }
      const top = scrollTopFor(row, view)
      expect(row * rowHeight).toBeGreaterThanOrEqual(top)
      expect((row + 1) * rowHeight).toBeLessThanOrEqual(top + view.height)
      expect(scrollTopFor(row, { ...view, scrollTop: top })).toBe(top)
    }),
  )
})
