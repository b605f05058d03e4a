import { findPostgres } from '@throughline/testing/postgres/find-postgres'
import { expect, test, vi } from 'vitest'
import { layers } from '../../src/layers/layers.ts'
import { measureLayer } from '../../src/layers/measure-layer.ts'

// Layers under tiny loads. Only what does not depend on the speed of the machine is asserted. Each takes up to a minute, so one of them
// is measured here; `BENCH_LAYERS=all` measures all.
vi.setConfig({ testTimeout: 300_000 })

const tiny = { runs: 3, viewers: 3, seconds: 1, minutes: 0.05, settleMs: 100, rounds: 1 }

const measured = layers.filter(({ name }) => process.env['BENCH_LAYERS'] === 'all' || name === 'write-pace')

test.each(measured)('$name: each of its goals is measured with it and without it', async layer => {
  await using opened = new AsyncDisposableStack()
  const postgres = async () => opened.use(await findPostgres()).url
  const { figures, section } = await measureLayer(layer, { ...tiny, postgres })
  expect(figures).toHaveLength(layer.goals.length)
  for (const { with: kept, without, gains } of figures) {
    expect([kept, without, gains]).toEqual([[expect.any(Number)], [expect.any(Number)], [expect.any(Number)]])
    expect([...kept, ...without, ...gains].every(Number.isFinite)).toBe(true)
  }
  expect(section.title).toMatch(/: it (stays|goes)$/)
  expect(section.measurements.at(-1)?.goal).toEqual({ atLeast: 10 })
})
