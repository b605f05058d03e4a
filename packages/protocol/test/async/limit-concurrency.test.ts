import { expect, test } from 'vitest'
import { limitConcurrency } from '../../src/async/concurrency.ts'

test('at most this many pieces of work are done at once, in the order of the calls', async () => {
  const limited = limitConcurrency(2)
  const begun: number[] = []
  const works = Array.from({ length: 5 }, () => Promise.withResolvers<void>())
  const results = works.map(({ promise }, index) =>
    limited(async () => {
      begun.push(index)
      await promise
      return index
    }),
  )
  await expect.poll(() => begun).toEqual([0, 1])
  works[1]?.resolve()
  expect(await results[1]).toBe(1)
  await expect.poll(() => begun).toEqual([0, 1, 2])
  for (const { resolve } of works) resolve()
  expect(await Promise.all(results)).toEqual([0, 1, 2, 3, 4])
})

test('work that fails leaves its place to the next one', async () => {
  const limited = limitConcurrency(1)
  const failed = limited(() => Promise.reject(new Error('It failed.')))
  const next = limited(async () => 'done')
  await expect(failed).rejects.toThrow('It failed.')
  expect(await next).toBe('done')
})

test('work that need not wait begins before the call returns', () => {
  const limited = limitConcurrency(1)
  let hasBegun = false
  void limited(async () => {
    hasBegun = true
  })
  expect(hasBegun).toBe(true)
})
