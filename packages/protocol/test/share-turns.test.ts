import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { shareTurns } from '../src/share-turns.ts'

test('in one turn of the event loop only so many callers go on, and all of them go on in order', async () => {
  const takeTurn = shareTurns(2)
  const gone: number[] = []
  const go = async (index: number) => {
    await takeTurn()
    gone.push(index)
  }
  const all = Promise.all([0, 1, 2, 3, 4].map(go))
  const seen: number[] = []
  while (gone.length < 5) {
    await nextTurn()
    seen.push(gone.length)
  }
  await all
  expect(gone).toEqual([0, 1, 2, 3, 4])
  // Each turn lets two go at most, and the first two need not wait for one.
  expect(Math.max(...seen.map((count, index) => count - (seen[index - 1] ?? 2)))).toBeLessThanOrEqual(2)
})

test('after a pause, callers go on at once', async () => {
  const takeTurn = shareTurns(1)
  await takeTurn()
  await takeTurn()
  await nextTurn()
  await nextTurn()
  let hasGone = false
  void takeTurn().then(() => {
    hasGone = true
  })
  await Promise.resolve().then(() => undefined)
  expect(hasGone).toBe(true)
})
