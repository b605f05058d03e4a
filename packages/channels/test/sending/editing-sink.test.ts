import { isPending, settle } from '@throughline/testing/faults/held-writes'
import { describe, expect, test } from 'vitest'
import { EditingSink } from '../../src/sending/editing-sink.ts'
import type { OutboxItem } from '../../src/sending/outbox.ts'
import { bodyOf } from '../../src/sending/outbox-body.ts'
import { OutboxSender } from '../../src/sending/outbox-sender.ts'
import { FakeChannel, type Treatment } from '../delivery/fake-channel.ts'
import { MemoryOutbox } from '../delivery/memory-outbox.ts'
import { type Fault, Mortal } from '../delivery/mortal.ts'
import { FakeClock } from '../fake-clock.ts'

interface GrowingOptions {
  readonly treatments?: readonly Treatment[]
  /** What earlier processes have written down; the last of it may not be complete. */
  readonly known?: readonly OutboxItem[]
  readonly faults?: ReadonlyMap<number, Fault>
}

function growing({ treatments = [], known = [], faults = new Map() }: GrowingOptions = {}) {
  const clock = new FakeClock()
  const closing = new AbortController()
  const memory = new MemoryOutbox()
  memory.items.push(...known)
  const fake = new FakeChannel({ treatments })
  for (const { index, receipt, body } of known) {
    const message = { text: JSON.parse(body).text }
    if (receipt !== undefined)
      fake.shown.push({ key: `run.${index}`, receipt, target: 'room', first: message, message })
  }
  const reports: string[] = []
  const shared = {
    signal: closing.signal,
    report: (_: unknown, what: string) => void reports.push(what),
    startTimer: clock.startTimer,
  }
  const sender = new OutboxSender(
    {
      ...shared,
      channel: fake.of(clock.startTimer),
      target: 'room',
      outbox: memory.of(new Mortal(faults)),
      runId: 'run',
      replyTo: undefined,
      readMedium: async () => undefined,
    },
    known,
  )
  const open = known.length === 0 ? undefined : known.length - 1
  const sink = new EditingSink({ ...shared, sender, open, intervalMs: 1_000 })
  return { clock, closing, memory, fake, sink, reports }
}

function sent(index: number, text: string): OutboxItem {
  return { runId: 'run', index, body: bodyOf({ text }), status: 'sent', receipt: `r${index}` }
}

test('what is taken at the very moment the work is done is not overlooked', async () => {
  for (let turns = 0; turns < 60; turns += 1) {
    const { sink, fake } = growing()
    sink.enqueue({ text: 'First.' })
    for (let turn = 0; turn < turns; turn += 1) await Promise.resolve()
    sink.enqueue({ text: 'Second.' })
    await sink.flush()
    expect([turns, fake.texts()]).toEqual([turns, ['First.', 'Second.']])
  }
})

test('a block is sent as soon as it has a word, edited while it grows, and complete in the end', async () => {
  const { sink, clock, fake, memory } = growing()
  sink.show({ text: 'The' })
  await settle()
  expect(fake.texts()).toEqual(['The'])
  sink.show({ text: 'The sky' })
  await clock.advance(1_000)
  expect(fake.texts()).toEqual(['The sky'])
  // The outbox says how far the answer has got, so only what is complete.
  expect(memory.items).toMatchObject([{ body: '{"text":"The"}' }])
  sink.enqueue({ text: 'The sky is clear.' })
  await sink.stop()
  expect(fake.texts()).toEqual(['The sky is clear.'])
  expect(memory.items).toMatchObject([{ body: '{"text":"The sky is clear."}' }])
})

test('what is overtaken by something newer is left out', async () => {
  const { sink, clock, fake } = growing()
  sink.show({ text: 'a' })
  await settle()
  for (const text of ['a b', 'a b c', 'a b c d']) sink.show({ text })
  await clock.advance(1_000)
  sink.show({ text: 'a b c d e' })
  sink.enqueue({ text: 'a b c d e f' })
  await sink.stop()
  expect(fake.edits.map(({ text }) => text)).toEqual(['a b c d', 'a b c d e f'])
})

test('a message is edited once in an interval, but what is complete does not wait', async () => {
  const { sink, clock, fake } = growing()
  sink.show({ text: 'a' })
  await settle()
  sink.show({ text: 'a b' })
  await clock.advance(999)
  expect(fake.texts()).toEqual(['a'])
  sink.enqueue({ text: 'a b c' })
  await settle()
  expect(fake.texts()).toEqual(['a b c'])
  expect(clock.timerCount).toBe(0)
})

test('each block is a message of its own', async () => {
  const { sink, fake, memory } = growing()
  sink.enqueue({ text: 'One.' })
  sink.enqueue({ text: 'Two.' })
  sink.show({ text: 'Thr' })
  sink.enqueue({ text: 'Three.' })
  await sink.stop()
  expect(fake.texts()).toEqual(['One.', 'Two.', 'Three.'])
  expect(fake.edits).toEqual([])
  expect(memory.items.map(({ status }) => status)).toEqual(['sent', 'sent', 'sent'])
})

test('a medium is a message of its own, and what is written after it comes behind it', async () => {
  const { sink, fake } = growing()
  sink.show({ text: 'Look' })
  await settle()
  sink.enqueue({ text: 'Look:' })
  sink.enqueue({ media: ['https://example.com/a.png'] })
  sink.show({ text: 'Nice' })
  sink.enqueue({ text: 'Nice.' })
  await sink.stop()
  expect(fake.texts()).toEqual(['Look:', 'https://example.com/a.png', 'Nice.'])
})

test('a message that was begun and never completed stays as it is when something else comes', async () => {
  const { sink, fake } = growing()
  sink.show({ text: 'Loo' })
  await settle()
  sink.enqueue({ media: ['https://example.com/a.png'] })
  sink.enqueue({ text: 'Nice.' })
  await sink.stop()
  expect(fake.texts()).toEqual(['Loo', 'https://example.com/a.png', 'Nice.'])
})

test('whoever waits for everything to be shown does not wait for an interval', async () => {
  const { sink, fake } = growing()
  sink.show({ text: 'On' })
  await settle()
  expect(await isPending(sink.flush())).toBe(false)
  expect(fake.texts()).toEqual(['On'])
})

test('what is completed while it is being sent is shown right after that', async () => {
  const { sink, clock, fake } = growing({ treatments: ['unavailable'] })
  sink.show({ text: 'On' })
  await settle()
  sink.enqueue({ text: 'One.' })
  await clock.advance(1_000)
  expect(fake.texts()).toEqual(['One.'])
})

describe('after a crash', () => {
  test('the last message is edited again, whatever it says: nobody knows how far it had got', async () => {
    const { sink, fake } = growing({ known: [sent(0, 'One.'), sent(1, 'Tw')] })
    sink.enqueue({ text: 'Two.' })
    sink.enqueue({ text: 'Three.' })
    await sink.stop()
    expect(fake.texts()).toEqual(['One.', 'Two.', 'Three.'])
    const same = growing({ known: [sent(0, 'One.')] })
    same.sink.enqueue({ text: 'One.' })
    await same.sink.stop()
    expect(same.fake.edits).toEqual([{ receipt: 'r0', text: 'One.' }])
  })

  test('a message of which nobody knows whether it was sent is sent first, under its key', async () => {
    const pending = { ...sent(0, 'On'), status: 'pending', receipt: undefined } as const
    const { sink, fake } = growing({ known: [pending] })
    sink.enqueue({ text: 'One.' })
    await sink.stop()
    expect(fake.shown).toMatchObject([{ key: 'run.0', first: { text: 'On' }, message: { text: 'One.' } }])
  })
})

describe('a channel that fails', () => {
  test('is tried until it takes a message or an edit, and nothing overtakes', async () => {
    const { sink, clock, fake } = growing({ treatments: ['unavailable', 'taken', 'busy', 'silent', 'lost'] })
    sink.show({ text: 'On' })
    await clock.advance(1_000)
    sink.enqueue({ text: 'One.' })
    sink.enqueue({ text: 'Two.' })
    const stopped = sink.stop()
    await clock.advance(300_000)
    await stopped
    expect(fake.texts()).toEqual(['One.', 'Two.'])
    expect(fake.mostAtOnce).toBe(1)
  })

  test('and refuses a message for good gets the next one', async () => {
    const { sink, fake, reports } = growing({ treatments: ['refused'] })
    sink.show({ text: 'On' })
    await settle()
    sink.enqueue({ text: 'One.' })
    sink.enqueue({ text: 'Two.' })
    await sink.stop()
    expect(fake.texts()).toEqual(['Two.'])
    expect(reports).toEqual(['a block was not taken by its channel and is given up'])
  })

  test('for a notice holds nothing up: neither when it fails nor when it is silent', async () => {
    const { sink, clock, fake } = growing({ treatments: ['unavailable', 'deaf'] })
    sink.enqueue({ text: '🔧 clock', isStatus: true, id: 'tool-1' })
    sink.enqueue({ text: '🔧 weather', isStatus: true, id: 'tool-2' })
    sink.enqueue({ text: 'One.' })
    const stopped = sink.stop()
    await clock.advance(15_000)
    await stopped
    expect(fake.texts()).toEqual(['One.'])
  })
})

describe('an end of all', () => {
  test('ends the wait for the next edit, and nothing is written after it', async () => {
    const { sink, clock, closing, memory, fake } = growing()
    sink.show({ text: 'On' })
    await settle()
    sink.show({ text: 'One' })
    closing.abort(new Error('Closing.'))
    await settle()
    expect(clock.timerCount).toBe(0)
    await expect(sink.flush()).rejects.toThrow('Closing.')
    sink.enqueue({ text: 'One.' })
    await clock.advance(10_000)
    expect(fake.texts()).toEqual(['On'])
    expect(memory.items).toHaveLength(1)
  })
})

test('a store that fails is told to whoever waits, and nothing more is shown', async () => {
  const { sink, fake } = growing({ faults: new Map([[0, 'fails before']]) })
  sink.enqueue({ text: 'One.' })
  await expect(sink.flush()).rejects.toThrow('The store is not there.')
  sink.enqueue({ text: 'Two.' })
  await expect(sink.stop()).rejects.toThrow('The store is not there.')
  expect(fake.texts()).toEqual([])
})

test('a flush with nothing to show is over at once', async () => {
  const { sink } = growing()
  expect(await isPending(sink.flush())).toBe(false)
})
