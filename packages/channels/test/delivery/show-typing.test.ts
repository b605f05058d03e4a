import { settle } from '@throughline/testing/faults/held-writes'
import { expect, test } from 'vitest'
import { showTyping } from '../../src/delivery/deliver-run.ts'
import type { Delivery } from '../../src/delivery/delivery.ts'
import type { Channel } from '../../src/ports/channel.ts'
import { FakeClock } from '../fake-clock.ts'
import { MemoryOutbox } from './memory-outbox.ts'
import { Mortal } from './mortal.ts'

function typing(type: Channel['typing'], { isOver = false, isPaused = (): boolean => false } = {}) {
  const clock = new FakeClock()
  const closing = new AbortController()
  const ended = new AbortController()
  const debugged: string[] = []
  if (isOver) ended.abort()
  const channel = { kind: 'fake', maxChars: 100, send: async () => '', ...(type && { typing: type }) }
  const delivery: Delivery = {
    channel,
    target: 'room',
    inboundId: () => undefined,
    entries: async function* () {},
    outbox: new MemoryOutbox().of(new Mortal()),
    readFile: async () => undefined,
    report: () => {
      throw new Error('This is nobody’s concern.')
    },
    debug: what => debugged.push(what),
    signal: closing.signal,
    options: {},
    startTimer: clock.startTimer,
  }
  showTyping(delivery, { ended: ended.signal, isPaused })
  return { clock, closing, ended, debugged }
}

test('it is shown at once and then every four seconds, until the answer has ended', async () => {
  const targets: string[] = []
  const { clock, ended } = typing(async target => void targets.push(target))
  await clock.advance(9_000)
  expect(targets).toEqual(['room', 'room', 'room'])
  ended.abort()
  await settle()
  expect(clock.timerCount).toBe(0)
  await clock.advance(20_000)
  expect(targets).toHaveLength(3)
})

test('it ends with everything else', async () => {
  let count = 0
  const { clock, closing } = typing(async () => {
    count += 1
  })
  await clock.advance(1)
  closing.abort()
  await clock.advance(20_000)
  expect({ count, timers: clock.timerCount }).toEqual({ count: 1, timers: 0 })
})

test('it is not shown while nothing goes on because a person has to decide', async () => {
  const targets: string[] = []
  let isWaiting = false
  const { clock, ended } = typing(async target => void targets.push(target), { isPaused: () => isWaiting })
  await clock.advance(1_000)
  isWaiting = true
  await clock.advance(60_000)
  expect(targets).toHaveLength(1)
  isWaiting = false
  await clock.advance(4_000)
  expect(targets).toHaveLength(2)
  ended.abort()
})

test('a failure is a debug message', async () => {
  const { clock, ended, debugged } = typing(() => Promise.reject(new Error('No.')))
  await clock.advance(1)
  expect(debugged).toEqual([expect.stringContaining('No.')])
  ended.abort()
})

test.each([
  ['fails', () => Promise.reject(new Error('No.'))],
  ['is never answered', () => new Promise<void>(() => {})],
  [
    'throws before it promises anything',
    () => {
      throw new Error('No.')
    },
  ],
])('a channel where it %s is asked again, and nothing else happens', async (_, type) => {
  let count = 0
  const { clock, ended } = typing(() => {
    count += 1
    return type()
  })
  await clock.advance(4_000)
  expect(count).toBe(2)
  ended.abort()
})

test('a channel that cannot show it is not asked', async () => {
  const { clock } = typing(undefined)
  await settle()
  expect(clock.timerCount).toBe(0)
})

test('nothing is shown when it is over before it began', async () => {
  const targets: string[] = []
  const { clock } = typing(async target => void targets.push(target), { isOver: true })
  await clock.advance(10_000)
  expect(targets).toEqual([])
})
