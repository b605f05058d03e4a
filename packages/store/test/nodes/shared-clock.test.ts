import { expect, test } from 'vitest'
import { SharedClock } from '../../src/nodes/shared-clock.ts'

test('the clock goes on from the time of the database, wherever the clock of the machine stands', () => {
  let steadyMs = 1_000
  const clock = new SharedClock(() => steadyMs)
  clock.learn(500_000, { sentAt: 1_000, receivedAt: 1_000 })
  expect(clock.nowMs()).toBe(500_000)
  steadyMs += 250
  expect(clock.nowMs()).toBe(500_250)
})

test('a look that differs by less than it took changes nothing, and any other one counts', () => {
  const clock = new SharedClock(() => 1_000)
  clock.learn(500_000, { sentAt: 1_000, receivedAt: 1_000 })
  clock.learn(500_040, { sentAt: 950, receivedAt: 1_050 })
  expect(clock.nowMs()).toBe(500_000)
  clock.learn(500_140, { sentAt: 950, receivedAt: 1_050 })
  expect(clock.nowMs()).toBe(500_140)
})

test('the time goes back with the database', () => {
  const clock = new SharedClock(() => 1_000)
  clock.learn(500_000, { sentAt: 1_000, receivedAt: 1_000 })
  clock.learn(400_000, { sentAt: 1_000, receivedAt: 1_010 })
  expect(clock.nowMs()).toBe(399_995)
})
