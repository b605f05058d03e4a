import { expect, test } from 'vitest'
import { WritePace } from '../../src/engine/write-pace.ts'

/** Returns the gaps after periods with these utilizations. */
function gapsAfter(utilizations: readonly number[]): readonly number[] {
  let utilization = 0
  let now = 0
  const pace = new WritePace({ utilization: () => utilization, now: () => now })
  return utilizations.map(value => {
    utilization = value
    now += 100
    return pace.gapMs()
  })
}

test('with room to spare there is no gap between two writes', () => {
  expect(gapsAfter([0, 0.5, 0.8, 0.9])).toEqual([0, 0, 0, 0])
})

test('the gap grows while the event loop is always busy, up to a limit', () => {
  expect(gapsAfter([1, 1, 1])).toEqual([40, 80, 80])
})

test('the gap shrinks slowly, and stays while the loop is neither busy nor free', () => {
  expect(gapsAfter([1, 1, 0.8, 0.7, 0.5, 0.8])).toEqual([40, 80, 80, 60, 40, 40])
})

test('the load is looked at once per period, however often runs write', () => {
  let looks = 0
  let now = 0
  const utilization = () => {
    looks += 1
    return 1
  }
  const pace = new WritePace({ utilization, now: () => now })
  for (; now < 1_000; now += 1) pace.gapMs()
  expect(looks).toBe(9)
})
