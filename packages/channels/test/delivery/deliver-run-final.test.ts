import { expect, test } from 'vitest'
import type { DeliveryOptions } from '../../src/delivery/delivery.ts'
import { FakeClock } from '../fake-clock.ts'
import { deliverOnce, deliverUntilDone, type World } from './deliver-until-done.ts'
import { FakeChannel, type Treatment } from './fake-channel.ts'
import { MemoryOutbox } from './memory-outbox.ts'
import { type Fault, Mortal } from './mortal.ts'
import { type Act, runLog } from './run-log.ts'

const paragraphs = Array.from({ length: 30 }, (_, index) => `Paragraph ${index} of the whole answer.\n\n`)
const whole = paragraphs.join('').trim()
const text: Act = { type: 'text', pieces: [whole.slice(0, 700), whole.slice(700)] }
const tool: Act = { type: 'tool', toolCallId: 'call-1' }
const file: Act = { type: 'file', url: 'https://example.com/a.png' }

interface WorldOptions {
  readonly options?: DeliveryOptions
  readonly maxChars?: number
  readonly treatments?: readonly Treatment[]
}

function worldOf(acts: readonly Act[], { options = {}, ...channel }: WorldOptions = {}): World {
  return {
    log: runLog(acts),
    outbox: new MemoryOutbox(),
    channel: new FakeChannel(channel),
    // As small as possible, to show that they have no effect here.
    options: { minChars: 10, maxChars: 40, streaming: 'final', ...options },
    reading: [{ entries: 1, afterMs: 5_000 }],
  }
}

test('R79: nothing goes out before the end, and then all of it in one message', async () => {
  const world = worldOf([text, tool, text])
  const clock = new FakeClock()
  const { signal } = new AbortController()
  const delivered = deliverOnce(world, new Mortal(), { clock, signal })
  await clock.advance(5_000 * (world.log.length - 1))
  expect(world.channel.requests).toEqual([])
  expect(world.channel.typings.length).toBeGreaterThan(10)
  await clock.advance(60_000)
  await delivered
  expect(world.channel.texts()).toEqual([`${whole}\n\n${whole}`])
})

test('R79: an answer that is longer than the channel takes is cut there, and as late as it can be', async () => {
  const world = worldOf([text], { maxChars: 500 })
  await deliverUntilDone(world)
  const texts = world.channel.texts()
  expect(texts.join('\n\n')).toBe(whole)
  expect(texts).toHaveLength(Math.ceil(whole.length / 500))
})

test('R79: files stand where they came, and the text is one message on each side of them', async () => {
  const world = worldOf([text, file, text])
  await deliverUntilDone(world)
  expect(world.channel.texts()).toEqual([whole, file.url, whole])
})

test('R79: lines about tools are told at once, when they are asked for', async () => {
  const world = worldOf([text, tool], { options: { isWithTools: true } })
  await deliverUntilDone(world)
  expect(world.channel.texts()).toEqual(['🔧 clock', whole])
})

test('R79: a question to a person is asked at once, after the text before it', async () => {
  const ask: Act = { type: 'ask', approvalId: 'approval-1' }
  const settle: Act = { type: 'settle', approvalId: 'approval-1', approved: true }
  const world = worldOf([text, ask, settle, text])
  await deliverUntilDone(world)
  expect(world.channel.texts()).toEqual([
    whole,
    'approval-1 waits',
    'approval-1 is approved, asked before',
    whole,
  ])
})

test.each([0, 1, 2, 3])('R79: a process that dies at its call %i loses nothing of it', async call => {
  for (const fault of ['dies before', 'dies after', 'fails before'] as const) {
    const world = worldOf([text, file, text], { treatments: ['unavailable'] })
    await deliverUntilDone(world, [new Map<number, Fault>([[call, fault]])])
    expect(world.channel.texts()).toEqual([whole, file.url, whole])
  }
})
