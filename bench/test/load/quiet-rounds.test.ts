import { expect, test } from 'vitest'
import { QuietRounds } from '../../src/load/quiet-rounds.ts'

test('the median of the rounds on quiet cores counts', async () => {
  // The probes that find the highest speed come first.
  const rounds = roundsAt([...Array(40).fill(100), 100, 100, 90, 50, 85, 95, 100, 85])
  const { figures, rounds: counts } = await rounds.median([10, 500, 30, 20])
  expect(figures.p99Ms).toBe(20)
  expect(counts).toEqual({ counted: 3, measured: 4 })
})

test('a round begins when the cores are quiet', async () => {
  const rounds = roundsAt([...Array(40).fill(100), 50, 60, 100, 100, 100, 100, 100, 100])
  expect((await rounds.median([10, 20, 30])).rounds).toEqual({ counted: 3, measured: 3 })
})

test('when the cores are never quiet, all rounds count', async () => {
  const rounds = roundsAt([...Array(40).fill(100), ...Array(10_000).fill(50)])
  const times = Array.from({ length: 18 }, (_, index) => index)
  const { figures, rounds: counts } = await rounds.median(times)
  expect(figures.p99Ms).toBe(9)
  expect(counts).toEqual({ counted: 18, measured: 18 })
})

/** Three rounds on cores whose speeds and figures are made up. */
function roundsAt(speeds: readonly number[]) {
  const left = [...speeds]
  const quietRounds = new QuietRounds(async () => left.shift() ?? 0)
  return {
    median(times: readonly number[]) {
      const figures = times.map(p99Ms => ({ p99Ms }))
      return quietRounds.median(3, async () => figures.shift() ?? { p99Ms: Number.NaN })
    },
  }
}
