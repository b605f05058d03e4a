import { at, endOf, startOf, testRun } from '@throughline/testing/store/store-rows'
import { temporaryStore } from '@throughline/testing/store/temporary-store'
import { expect, test } from 'vitest'
import { waitIfEnding } from '../../src/stopping/wait-if-ending.ts'

test('whoever waits for a run without an answer reads whether it is over, until it is', async () => {
  await using fixture = await temporaryStore()
  const { store } = fixture
  const run = { ...testRun('run'), kind: 'message' } as const
  await store.runs.claim(run, startOf(run))
  let readCount = 0
  let isOver = false
  const runs = {
    ...store.runs,
    get: (...named: Parameters<typeof store.runs.get>) => {
      readCount += 1
      return store.runs.get(...named)
    },
  }
  const waiting = waitIfEnding({ ...store, runs }, run).then(result => {
    expect(isOver).toBe(true)
    return result
  })
  await expect.poll(() => readCount >= 2).toBeTruthy()
  isOver = true
  await store.runs.end(run, { ...endOf(run, [], { seq: 1 }), at: at(2) })
  expect(await waiting).toBe(true)
})
