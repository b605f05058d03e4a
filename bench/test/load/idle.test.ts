import { expect, test } from 'vitest'
import { measureIdle } from '../../src/load/scenarios/idle.ts'

test('idle viewers take memory, and each of them sees its answer', async () => {
  const { figures, section } = await measureIdle({ viewers: 3, settleMs: 100 })
  expect(figures).toMatchObject({ viewers: 3, lost: 0, doubled: 0, late: 0 })
  expect(figures.emptyBytes).toBeGreaterThan(1e7)
  expect(section.measurements).toHaveLength(3)
})
