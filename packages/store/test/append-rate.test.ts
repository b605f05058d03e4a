import { expect, test } from 'vitest'
import { AppendRate } from '../src/append-rate.ts'

/** Whether the last of these appends finds others to wait for. */
function isBusyAfter(times: readonly number[]): boolean {
  const rate = new AppendRate(20)
  for (const time of times) rate.note(time)
  return rate.isBusy
}

test('one answer with 100 deltas per second is not busy, twenty such answers are', () => {
  expect(isBusyAfter(Array.from({ length: 100 }, (_, index) => index * 10))).toBe(false)
  expect(isBusyAfter(Array.from({ length: 100 }, (_, index) => index / 2))).toBe(true)
})

test('after a pause nothing is busy, however much came before', () => {
  const burst = Array.from({ length: 50 }, () => 5)
  expect(isBusyAfter(burst)).toBe(true)
  expect(isBusyAfter([...burst, 45])).toBe(false)
})
