import type { UsageOfDay } from '@throughline/protocol/internal'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { daysBetween, scaleEnd, stackUsage } from '../src/pages/status/stack-usage.ts'

const week = { from: '2026-11-10', to: '2026-11-16' }

test('every day has its bar, also those without usage, over the ends of months and years', () => {
  expect(daysBetween('2026-12-30', '2027-01-02')).toEqual([
    '2026-12-30',
    '2026-12-31',
    '2027-01-01',
    '2027-01-02',
  ])
  const { days, series } = stackUsage([], { ...week, measure: 'tokens', by: 'model' })
  expect(days).toHaveLength(7)
  expect(series).toEqual([])
})

test('the largest comes first, by what is measured', () => {
  const usage = [used('a', 1_000, 0.1), used('b', 10, 5), used('a', 500, 0.1, '2026-11-12')]
  const byTokens = stackUsage(usage, { ...week, measure: 'tokens', by: 'model' })
  expect(byTokens.series.map(({ key }) => key)).toEqual(['a', 'b'])
  expect(byTokens.days.map(({ values }) => values)).toEqual([
    [1_000, 10],
    [0, 0],
    [500, 0],
    [0, 0],
    [0, 0],
    [0, 0],
    [0, 0],
  ])
  const byCost = stackUsage(usage, { ...week, measure: 'cost', by: 'model' })
  expect(byCost.series.map(({ key, cost }) => [key, cost])).toEqual([
    ['b', 5],
    ['a', 0.2],
  ])
})

test('what is too much for the colours is drawn together, and nothing is lost', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.integer({ min: 0, max: 12 }), fc.nat(10_000))), pairs => {
      const usage = pairs.map(([model, tokens]) => used(`model-${model}`, tokens, 0))
      const { series, days } = stackUsage(usage, { ...week, measure: 'tokens', by: 'model' })
      const all = pairs.reduce((sum, [, tokens]) => sum + tokens, 0)
      expect(series.length).toBeLessThanOrEqual(5)
      expect(series.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(all)
      expect(days.flatMap(({ values }) => values).reduce((sum, value) => sum + value, 0)).toBe(all)
    }),
  )
})

test.each([
  [0, 1],
  [1, 1],
  [3, 5],
  [5, 5],
  [5.1, 10],
  [1_101, 2_000],
  [0.0022, 0.005],
])('a scale for %d ends at %d', (largest, end) => {
  expect(scaleEnd(largest)).toBeCloseTo(end, 10)
})

function used(model: string, tokens: number, cost: number, day = week.from): UsageOfDay {
  return { day, agent: 'master', model, inputTokens: tokens, outputTokens: 0, cost, unpricedTokens: 0 }
}
