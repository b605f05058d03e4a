import { settle } from '@throughline/testing/held-writes'
import { expect, test } from 'vitest'
import type { Channel } from '../src/channel.ts'
import type { Delivery } from '../src/delivery.ts'
import { showTyping } from '../src/show-typing.ts'
import { MemoryOutbox } from './delivery/memory-outbox.ts'
import { Mortal } from './delivery/mortal.ts'
import { FakeClock } from './fake-clock.ts'

function typing(type: Channel['typing'], { isOver = false } = {}) {
  const clock = new FakeClock()
  const closing = new AbortController()
  const ended = new AbortController()
  if (isOver) ended.abort()
  const channel = { kind: 'fake', maxChars: 100, send: async () => '', ...(type && { typing: type }) }
  const delivery: Delivery = {
    channel,
    target: 'room',
    inboundId: () => undefined,
    entries: (async function* () {})(),
    outbox: new MemoryOutbox().of(new Mortal()),
    readFile: async () => undefined,
    report: () => undefined,
    signal: closing.signal,
    options: {},
    startTimer: clock.startTimer,
  }
  showTyping(delivery, ended.signal)
  return { clock, closing, ended }
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
