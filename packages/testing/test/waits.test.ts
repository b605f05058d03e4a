import { inTime } from '@throughline/testing/waits/in-time'
import { promiseState, unsettled } from '@throughline/testing/waits/promise-state'
import { until } from '@throughline/testing/waits/until'
import { expect, test } from 'vitest'

test('a wait returns what it has seen when that is as expected', async () => {
  let looks = 0
  const seen = await until(() => ++looks, { isExpected: count => count === 3, everyMs: 1 })
  expect(seen).toBe(3)
})

test('a wait that takes too long says what it saw last', async () => {
  const look = async () => ({ status: 'streaming', parts: ['Hello'] })
  const waiting = until(look, {
    what: 'the answer is finished',
    isExpected: ({ status }) => status === 'finished',
    limitMs: 30,
    everyMs: 1,
  })
  await expect(waiting).rejects.toThrow(
    "Waited 30 ms until the answer is finished. Seen last: { status: 'streaming', parts: [ 'Hello' ] }",
  )
})

test('a look that throws has not seen it yet, and its error is told if it never does', async () => {
  let looks = 0
  const look = () => {
    looks += 1
    if (looks < 3) throw new Error(`not there: ${looks}`)
    return 'there'
  }
  expect(await until(look, { everyMs: 1 })).toBe('there')
  looks = -1_000_000
  await expect(until(look, { limitMs: 10, everyMs: 1 })).rejects.toThrow(/it threw: Error: not there/)
})

test('work that does not end says how far it came', async () => {
  const entries = ['a', 'b']
  const stuck = inTime('the follower is done', new Promise(() => {}), { seen: () => entries, limitMs: 20 })
  await expect(stuck).rejects.toThrow("Waited 20 ms until the follower is done. So far: [ 'a', 'b' ]")
  expect(await inTime('it is done', Promise.resolve(1))).toBe(1)
  await expect(inTime('it is done', Promise.reject(new Error('no')))).rejects.toThrow('no')
})

test('the state of a promise says what it is settled with', async () => {
  expect(await promiseState(new Promise(() => {}))).toEqual(unsettled)
  expect(await promiseState(Promise.resolve(1))).toEqual({ status: 'fulfilled', value: 1 })
  const reason = new Error('no')
  expect(await promiseState(Promise.reject(reason))).toEqual({ status: 'rejected', reason })
})
