import { expect, test } from 'vitest'
import { CommitDelay } from '../../src/database/commit-delay.ts'

/** Whether the last of these appends finds others to wait for. */
function isBusyAfter(times: readonly number[]): boolean {
  const delay = new CommitDelay({ waitMs: 10, periodMs: 20 })
  for (const time of times) delay.noteAppend(time)
  const now = times.at(-1) ?? 0
  delay.noteCommit(now)
  return delay.leftMs(now) > 0
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

test('under load, a commit begins ten milliseconds after the one before it', () => {
  const delay = new CommitDelay({ waitMs: 10, periodMs: 20 })
  for (let count = 0; count < 20; count += 1) delay.noteAppend(100)
  expect(delay.leftMs(100)).toBeLessThanOrEqual(0)
  delay.noteCommit(100)
  expect(delay.leftMs(104)).toBe(6)
  expect(delay.leftMs(110)).toBe(0)
})
