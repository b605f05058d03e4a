import type { Entry } from '@throughline/protocol'
import { promiseState, unsettled } from '@throughline/testing/waits/promise-state'
import { describe, expect, test } from 'vitest'
import type { DeliveryOptions } from '../../src/delivery/delivery.ts'
import { FakeClock } from '../fake-clock.ts'
import { deliverOnce, deliverUntilDone, type World } from './deliver-until-done.ts'
import { FakeChannel, type Treatment } from './fake-channel.ts'
import { MemoryOutbox } from './memory-outbox.ts'
import { type Fault, Mortal } from './mortal.ts'
import { type Act, LogOfRun, runLog } from './run-log.ts'

const small: DeliveryOptions = { minChars: 20, maxChars: 60, preference: 'sentence' }
const before: Act = { type: 'text', pieces: ['I want ', 'to remove it.'] }
const after: Act = { type: 'text', pieces: ['It is ', 'gone.'] }
const ask: Act = { type: 'ask', approvalId: 'approval-1' }
const approve: Act = { type: 'settle', approvalId: 'approval-1', approved: true }
const waits = 'approval-1 waits'
const approved = 'approval-1 is approved, asked before'

interface WorldOptions extends Partial<Pick<World, 'reading'>> {
  readonly options?: DeliveryOptions
  readonly treatments?: readonly Treatment[]
  readonly canShowApprovals?: boolean
  readonly isRefused?: (key: string) => boolean
}

function worldOf(log: readonly Entry[], { options = small, reading, ...channel }: WorldOptions = {}): World {
  return {
    log,
    outbox: new MemoryOutbox(),
    channel: new FakeChannel(channel),
    options,
    ...(reading && { reading }),
  }
}

describe('a tool call that waits', () => {
  test.each(['blocks', 'edit', 'final'] as const)(
    'is shown after the text before it, while it waits, and what becomes of it is too (%s)',
    async streaming => {
      const options = { streaming }
      const world = worldOf(runLog([before, ask]).slice(0, -1), { options })
      const clock = new FakeClock()
      const { signal } = new AbortController()
      const delivered = deliverOnce(world, new Mortal(), { clock, signal })
      await clock.advance(1)
      expect(world.channel.texts()).toEqual(['I want to remove it.', waits])
      await delivered
      const whole = { ...world, log: runLog([before, ask, approve, after]) }
      await deliverUntilDone(whole)
      expect(world.channel.texts()).toEqual(['I want to remove it.', waits, approved, 'It is gone.'])
    },
  )

  test('is told to a channel that knows nothing of such calls in words', async () => {
    const world = worldOf(runLog([ask, approve]), { canShowApprovals: false, options: {} })
    await deliverUntilDone(world)
    expect(world.channel.texts()).toEqual([
      '🔐 remove waits for approval. Nobody can approve it here: its owner decides on the page of this chat.\n\n{\n  "what": "all"\n}',
      'remove: ✅ approved',
    ])
    expect(world.channel.shown[0]?.message.replyTo).toBe('m1')
  })

  test('does not wait for the end of the run when the channel fails: it is tried again', async () => {
    const treatments: readonly Treatment[] = ['unavailable', 'unavailable', 'busy']
    const world = worldOf(runLog([before, ask]).slice(0, -1), { treatments })
    const clock = new FakeClock()
    const { signal } = new AbortController()
    const delivered = deliverOnce(world, new Mortal(), { clock, signal })
    await clock.advance(1)
    expect(world.channel.texts()).toEqual([])
    await clock.advance(200_000)
    expect(world.channel.texts()).toEqual(['I want to remove it.', waits])
    await delivered
  })

  test('that the channel never takes does not hold up the answer', async () => {
    const log = runLog([before, ask, approve, after])
    const world = worldOf(log, { isRefused: key => key === 'run.1' })
    await deliverUntilDone(world)
    expect(world.channel.texts()).toEqual([
      'I want to remove it.',
      'approval-1 is approved, nobody was asked',
      'It is gone.',
    ])
  })

  test('ends the sign that somebody is writing until it is decided', async () => {
    const world = worldOf(runLog([ask, approve]), {
      reading: [
        { entries: 4, afterMs: 0 },
        { entries: 1, afterMs: 60_000 },
        { entries: 1, afterMs: 9_000 },
      ],
    })
    const clock = new FakeClock()
    const { signal } = new AbortController()
    const delivered = deliverOnce(world, new Mortal(), { clock, signal })
    await clock.advance(59_000)
    const { length: first } = world.channel.typings
    expect(first).toBeLessThanOrEqual(1)
    await clock.advance(9_000)
    expect(world.channel.typings.length).toBeGreaterThan(first)
    await clock.advance(9_000)
    await delivered
  })

  test('of which nobody in the channel has asked for is told as such', async () => {
    const log = new LogOfRun()
    for (const { messageId, chunk } of runLog([ask, approve]).slice(1)) log.add(messageId, chunk)
    const world = worldOf(log.entries)
    await deliverUntilDone(world)
    expect(world.outbox.written.map(({ body }) => JSON.parse(body).approval.isAskedHere)).toEqual([
      false,
      false,
    ])
  })
})

describe('a tool call that waits while somebody is in the middle of a text', () => {
  function logOf(): readonly Entry[] {
    const [asking, settling] = [runLog([ask]).slice(2, 4), runLog([ask, approve]).slice(4, 5)]
    const log = new LogOfRun()
    const answer = runLog([
      { type: 'text', pieces: ['The first sentence of it. The sec', 'ond sentence of it.'] },
    ])
    for (const { messageId, chunk } of answer.slice(0, 4)) log.add(messageId, chunk)
    for (const { messageId, chunk } of [...asking, ...settling]) log.add(messageId, chunk)
    for (const { messageId, chunk } of answer.slice(4)) log.add(messageId, chunk)
    return log.entries
  }

  test.each(['blocks', 'final'] as const)(
    'is shown at once, and no word is cut in two (%s)',
    async streaming => {
      const world = worldOf(logOf(), {
        options: { ...small, streaming },
        reading: [{ entries: 1, afterMs: 10 }],
      })
      await deliverUntilDone(world)
      const [first, second] = ['The first sentence of it.', 'The second sentence of it.']
      expect(world.channel.texts()).toEqual(
        streaming === 'final' ? [waits, approved, `${first} ${second}`] : [first, waits, approved, second],
      )
    },
  )

  test('is shown below a message that goes on growing', async () => {
    const options = { streaming: 'edit', idleMs: 1 } as const
    const world = worldOf(logOf(), { options, reading: [{ entries: 1, afterMs: 10 }] })
    await deliverUntilDone(world)
    expect(world.channel.texts()).toEqual([
      'The first sentence of it. The second sentence of it.',
      waits,
      approved,
    ])
  })
})

describe('a process that dies', () => {
  test.each(Array.from({ length: 12 }, (_, call) => call))(
    'at its call %i leaves nothing out, and shows nothing twice',
    async call => {
      for (const fault of ['dies before', 'dies after', 'fails before', 'fails after'] as const) {
        for (const streaming of ['blocks', 'edit'] as const) {
          const world = worldOf(runLog([before, ask, approve, after]), { options: { streaming } })
          await deliverUntilDone(world, [new Map<number, Fault>([[call, fault]])])
          expect(world.channel.texts()).toEqual(['I want to remove it.', waits, approved, 'It is gone.'])
          expect(world.channel.problems).toEqual([])
        }
      }
    },
  )

  test('before the channel has taken the question leaves it to the next, which does not wait for the run’s end', async () => {
    const log = runLog([before, ask]).slice(0, -1)
    const world = worldOf(log, { treatments: ['taken'] })
    // Calls 1 to 3 are the text. Call 4 saves the question, and call 5 sends it.
    const first = new Mortal(new Map<number, Fault>([[5, 'dies before']]))
    const clock = new FakeClock()
    const closing = new AbortController()
    const dying = deliverOnce(world, first, { clock, signal: closing.signal })
    await clock.advance(1)
    expect(await promiseState(dying)).toEqual(unsettled)
    expect(world.outbox.items.map(({ status }) => status)).toEqual(['sent', 'pending'])
    await deliverOnce(world, new Mortal(), { clock, signal: closing.signal })
    expect(world.channel.texts()).toEqual(['I want to remove it.', waits])
  })
})
