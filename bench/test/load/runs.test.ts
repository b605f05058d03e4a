import { expect, test } from 'vitest'
import { measureRuns } from '../../src/load/scenarios/runs.ts'

test('every delta of every run reaches its viewer once, from our server and from those beside it', async () => {
  const sizes = [{ runs: 2, perSecond: 20, chars: 12, p99Goal: 60_000 }]
  const { points, section } = await measureRuns({ seconds: 1, sizes, withPeers: true, rounds: 1 })
  expect(points.map(({ server }) => server)).toEqual(['ours', 'raw', 'AI SDK'])
  for (const point of points)
    expect(point).toMatchObject({ deltas: 40, delivered: 40, lost: 0, doubled: 0, late: 0 })
  const [ours, ...others] = points
  expect(ours?.bytesPerDelta).toBeGreaterThan(0)
  expect(ours?.workerShare).toBeGreaterThan(0)
  expect(others.map(({ bytesPerDelta }) => bytesPerDelta)).toEqual([0, 0])
  expect(section.measurements.map(({ name }) => name)).toContain(
    '2 runs x 20/s, 12 characters: p99, due to socket',
  )
})
