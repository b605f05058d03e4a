import { expect, test } from 'vitest'
import { takeTurns } from '../src/take-turns.ts'

test('only so many pieces of work are done at once, and each gets its turn in order', async () => {
  const inTurn = takeTurns(2)
  const begun: number[] = []
  const works = Array.from({ length: 5 }, () => Promise.withResolvers<void>())
  const results = works.map(({ promise }, index) =>
    inTurn(async () => {
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
  const inTurn = takeTurns(1)
  const failed = inTurn(() => Promise.reject(new Error('It failed.')))
  const next = inTurn(async () => 'done')
  await expect(failed).rejects.toThrow('It failed.')
  expect(await next).toBe('done')
})
