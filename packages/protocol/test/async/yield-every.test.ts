import { setImmediate as eventLoop } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { yieldEvery } from '../../src/async/concurrency.ts'

test('at most this many callers go on each time the event loop goes around, and all go on in order', async () => {
  const yieldIfMany = yieldEvery(2)
  const gone: number[] = []
  const go = async (index: number) => {
    await yieldIfMany()
    gone.push(index)
  }
  const all = Promise.all([0, 1, 2, 3, 4].map(go))
  const seen: number[] = []
  while (gone.length < 5) {
    await eventLoop()
    seen.push(gone.length)
  }
  await all
  expect(gone).toEqual([0, 1, 2, 3, 4])
  // Each time lets two go at most, and the first two need not wait.
  expect(Math.max(...seen.map((count, index) => count - (seen[index - 1] ?? 2)))).toBeLessThanOrEqual(2)
})

test('after a pause, callers go on at once', async () => {
  const yieldIfMany = yieldEvery(1)
  await yieldIfMany()
  await yieldIfMany()
  await eventLoop()
  await eventLoop()
  let hasGone = false
  void yieldIfMany().then(() => {
    hasGone = true
  })
  await Promise.resolve().then(() => undefined)
  expect(hasGone).toBe(true)
})
