import { isPending, settle } from '@throughline/testing/faults/held-writes'
import { describe, expect, test } from 'vitest'
import type { Channel } from '../../src/channel.ts'
import type { Outbox, OutboxItem } from '../../src/sending/outbox.ts'
import { bodyOf } from '../../src/sending/outbox-body.ts'
import { OutboxSender, type OutboxSenderOptions } from '../../src/sending/outbox-sender.ts'
import { FakeChannel, type Treatment } from '../delivery/fake-channel.ts'
import { MemoryOutbox } from '../delivery/memory-outbox.ts'
import { Mortal } from '../delivery/mortal.ts'
import { FakeClock } from '../fake-clock.ts'

interface SendingOptions extends Partial<OutboxSenderOptions> {
  readonly treatments?: readonly Treatment[]
  readonly known?: readonly OutboxItem[]
}

class Sending {
  readonly clock = new FakeClock()
  readonly closing = new AbortController()
  readonly memory = new MemoryOutbox()
  readonly reports: string[] = []
  readonly fake: FakeChannel
  readonly sender: OutboxSender

  constructor({ treatments = [], known = [], ...options }: SendingOptions = {}) {
    this.fake = new FakeChannel({ treatments })
    this.memory.items.push(...known)
    this.sender = new OutboxSender(
      {
        channel: this.fake.of(this.clock.startTimer),
        target: 'room',
        outbox: this.memory.of(new Mortal()),
        runId: 'run',
        replyTo: undefined,
        readMedium: async () => undefined,
        report: (_, what) => this.reports.push(what),
        signal: this.closing.signal,
        startTimer: this.clock.startTimer,
        now: () => this.clock.now,
        ...options,
      },
      known,
    )
  }
}

function item(index: number, change: Partial<OutboxItem> = {}): OutboxItem {
  const body = bodyOf({ text: `Block ${index}.` })
  return { runId: 'run', index, body, status: 'pending', receipt: undefined, ...change }
}

const noSignal = new AbortController().signal

describe('a payload', () => {
  test('is written down before it is sent, and settled with the receipt', async () => {
    const { sender, memory, fake } = new Sending()
    await sender.keep({ text: 'One.' })
    expect(memory.items).toEqual([
      { runId: 'run', index: 0, body: '{"text":"One."}', status: 'pending', receipt: undefined },
    ])
    expect(fake.requests).toEqual([])
    await sender.sendPending()
    expect(fake.requests).toMatchObject([
      { target: 'room', message: { text: 'One.' }, idempotencyKey: 'run.0' },
    ])
    expect(memory.items).toMatchObject([{ status: 'sent', receipt: 'receipt of run.0' }])
  })

  test('answers the inbound message if it is the run’s first', async () => {
    const { sender, fake } = new Sending({ replyTo: 'm1' })
    await sender.keep({ text: 'One.' })
    await sender.keep({ text: 'Two.' })
    await sender.sendPending()
    expect(fake.shown.map(({ message }) => message.replyTo)).toEqual(['m1', undefined])
  })

  test('answers nothing if an earlier process has sent the first', async () => {
    const { sender, fake } = new Sending({ replyTo: 'm1', known: [item(0, { status: 'sent' })] })
    await sender.keep({ text: 'Two.' })
    await sender.sendPending()
    expect(fake.shown).toMatchObject([{ key: 'run.1', message: { text: 'Two.', replyTo: undefined } }])
  })
})

test('what an earlier process left goes out under its old key; what it has settled does not', async () => {
  const known = [item(0, { status: 'sent', receipt: 'r' }), item(1), item(2, { status: 'failed' }), item(3)]
  const { sender, fake } = new Sending({ known })
  await sender.sendPending()
  expect(fake.shown.map(({ key }) => key)).toEqual(['run.1', 'run.3'])
})

test('what is left of another run is not this one’s', async () => {
  const { sender, fake } = new Sending({
    known: [item(0, { runId: 'removed' }), item(1, { runId: 'removed' })],
  })
  expect(sender.items).toEqual([])
  await sender.keep({ text: 'One.' })
  await sender.sendPending()
  expect(fake.shown.map(({ key }) => key)).toEqual(['run.0'])
})

test('a damaged item is named, and nothing is sent', () => {
  expect(() => new Sending({ known: [item(0, { body: '{"text":5}' })] })).toThrow('outbox is damaged')
})

test('nothing overtakes what is tried again', async () => {
  const { sender, fake, clock } = new Sending({ treatments: ['unavailable', 'busy', 'taken'] })
  await sender.keep({ text: 'One.' })
  await sender.keep({ text: 'Two.' })
  const sent = sender.sendPending()
  await clock.advance(100_000)
  await sent
  expect(fake.requests.map(({ idempotencyKey }) => idempotencyKey)).toEqual([
    'run.0',
    'run.0',
    'run.0',
    'run.1',
  ])
})

test('what is refused is settled as failed, and the next is sent', async () => {
  const { sender, fake, memory, reports } = new Sending({ treatments: ['refused'] })
  await sender.keep({ text: 'One.' })
  await sender.keep({ text: 'Two.' })
  await sender.sendPending()
  expect(memory.items.map(({ status }) => status)).toEqual(['failed', 'sent'])
  expect(fake.texts()).toEqual(['Two.'])
  expect(reports).toEqual(['a block was not taken by its channel and is given up'])
})

test('what no channel should throw is tried again, for it may be a network that was gone for a moment', async () => {
  const { sender, fake, clock } = new Sending({ treatments: ['broken'] })
  await sender.keep({ text: 'One.' })
  const sent = sender.sendPending()
  await clock.advance(1_000)
  await sent
  expect(fake.texts()).toEqual(['One.'])
})

test('a channel that throws before it promises anything is a channel that throws', async () => {
  const channel: Channel = {
    kind: 'rude',
    maxChars: 100,
    send() {
      throw new TypeError('not even a promise')
    },
  }
  const { sender, clock, memory } = new Sending({ channel, giveUpMs: 5_000 })
  await sender.keep({ text: 'One.' })
  const sent = sender.sendPending()
  await clock.advance(5_000)
  await sent
  expect(memory.items).toMatchObject([{ status: 'failed' }])
})

describe('a confirmation that comes late', () => {
  test('counts, and the message is not sent again', async () => {
    // The first attempt is confirmed after 20 s, and the second, at 16 s, fails: there would be a third at 33 s.
    const { sender, fake, clock, memory } = new Sending({ treatments: ['late', 'busy'] })
    await sender.keep({ text: 'One.' })
    const sent = sender.sendPending()
    await clock.advance(300_000)
    await sent
    expect(fake.requests).toHaveLength(2)
    expect(memory.items).toMatchObject([{ status: 'sent', receipt: 'receipt of run.0' }])
  })

  test('of an attempt in a pipeline that has given up does not let anything more out', async () => {
    const { sender, clock, memory } = new Sending({ treatments: ['late'], known: [item(0)] })
    const giveUp = new AbortController()
    const posted = sender.post({ text: 'Next.' }, giveUp.signal)
    posted.catch(() => undefined)
    await settle()
    giveUp.abort(new Error('It takes too long.'))
    await clock.advance(20_000)
    await expect(posted).rejects.toThrow('It takes too long.')
    expect(memory.items.map(({ status }) => status)).toEqual(['sent'])
  })
})

describe('posting', () => {
  test('sends what an earlier process left before what is new', async () => {
    const { sender, fake } = new Sending({ known: [item(0), item(1)] })
    await sender.post({ text: 'New.' }, noSignal)
    expect(fake.texts()).toEqual(['Block 0.', 'Block 1.', 'New.'])
  })

  test('tries once: what fails is written down and pending', async () => {
    const { sender, memory } = new Sending({ treatments: ['unavailable'] })
    await expect(sender.post({ text: 'New.' }, noSignal)).rejects.toThrow('Come back later.')
    expect(memory.items).toMatchObject([{ status: 'pending' }])
  })

  test('writes nothing down while what is older does not go out', async () => {
    const { sender, memory } = new Sending({ treatments: ['unavailable'], known: [item(0)] })
    await expect(sender.post({ text: 'New.' }, noSignal)).rejects.toThrow()
    expect(memory.items).toHaveLength(1)
  })
})

describe('a store that fails', () => {
  const failing = (method: keyof Outbox): Outbox => {
    const outbox = new MemoryOutbox().of(new Mortal())
    return { ...outbox, [method]: () => Promise.reject(new Error('The disk is full.')) }
  }

  test('while something is written down breaks the sender: nobody knows what is there', async () => {
    const { sender, fake } = new Sending({ outbox: failing('add') })
    await expect(sender.keep({ text: 'One.' })).rejects.toThrow('The disk is full.')
    await expect(sender.keep({ text: 'Two.' })).rejects.toThrow('The disk is full.')
    await expect(sender.sendPending()).rejects.toThrow('The disk is full.')
    expect(() => sender.throwIfBroken()).toThrow('The disk is full.')
    expect(fake.requests).toEqual([])
  })

  test('while a message is rewritten breaks it too', async () => {
    const { sender } = new Sending({ outbox: failing('rewrite') })
    await sender.keep({ text: 'One' })
    await expect(sender.rewrite(0, { text: 'One.' })).rejects.toThrow('The disk is full.')
    expect(() => sender.throwIfBroken()).toThrow('The disk is full.')
  })

  test('while something is settled is told, and what was sent is not sent again', async () => {
    const { sender, fake, reports } = new Sending({ outbox: failing('settle') })
    await sender.keep({ text: 'One.' })
    await sender.sendPending()
    await sender.sendPending()
    expect(fake.requests).toHaveLength(1)
    expect(reports).toEqual(['what became of a block could not be written down'])
  })

  test('while a file is read is not taken for a refusal', async () => {
    const readMedium = () => Promise.reject(new Error('The disk is gone.'))
    const { sender, memory } = new Sending({ readMedium })
    await sender.keep({ media: ['/api/chats/c/files/f'] })
    await expect(sender.sendPending()).rejects.toThrow('The disk is gone.')
    expect(memory.items).toMatchObject([{ status: 'pending' }])
  })

  test('and is only slow is waited for before anything is sent', async () => {
    const written = Promise.withResolvers<void>()
    const outbox = { ...new MemoryOutbox().of(new Mortal()), add: () => written.promise }
    const { sender, fake } = new Sending({ outbox })
    const kept = sender.keep({ text: 'One.' })
    const sent = sender.sendPending()
    expect(await isPending(sent)).toBe(true)
    expect(fake.requests).toEqual([])
    written.resolve()
    await Promise.all([kept, sent])
    expect(fake.texts()).toEqual(['One.'])
  })
})

describe('an end of all', () => {
  test('lets nothing more be written down', async () => {
    const { sender, memory, closing } = new Sending()
    closing.abort(new Error('Closing.'))
    await expect(sender.keep({ text: 'One.' })).rejects.toThrow('Closing.')
    expect(memory.items).toEqual([])
  })

  test('ends a send that nobody answers, and leaves it pending', async () => {
    const { sender, memory, closing, clock } = new Sending({ treatments: ['deaf'] })
    await sender.keep({ text: 'One.' })
    const sent = sender.sendPending()
    sent.catch(() => undefined)
    await settle()
    closing.abort(new Error('Closing.'))
    await expect(sent).rejects.toThrow('Closing.')
    expect(memory.items).toMatchObject([{ status: 'pending' }])
    expect(clock.timerCount).toBe(0)
  })
})

describe('an edit', () => {
  test('is tried until it is taken', async () => {
    const { sender, fake, clock } = new Sending({ treatments: ['taken', 'unavailable', 'deaf'] })
    await sender.keep({ text: 'One' })
    await sender.sendPending()
    const edited = sender.edit(0, 'One two.')
    await clock.advance(60_000)
    await edited
    expect(fake.edits).toEqual([{ receipt: 'receipt of run.0', text: 'One two.' }])
  })

  test('of a message that was never taken does nothing', async () => {
    const { sender, fake } = new Sending({ treatments: ['refused'] })
    await sender.keep({ text: 'One' })
    await sender.sendPending()
    await sender.edit(0, 'One two.')
    expect(fake.edits).toEqual([])
  })

  test('that was written down keeps what the message answers', async () => {
    const { sender, memory } = new Sending({ replyTo: 'm1' })
    await sender.keep({ text: 'One' })
    await sender.rewrite(0, { text: 'One two.' })
    expect(memory.items).toMatchObject([{ body: bodyOf({ text: 'One two.', replyTo: 'm1' }) }])
  })
})

describe('a notice', () => {
  test('goes out once, under a key that no block has, and is not written down', async () => {
    const { sender, fake, memory } = new Sending({ treatments: ['unavailable'] })
    await expect(sender.notify({ text: '🔧 clock', isStatus: true, id: 'tool-1' })).rejects.toThrow()
    expect(fake.requests).toMatchObject([{ idempotencyKey: 'run.tool-1', message: { text: '🔧 clock' } }])
    expect(memory.items).toEqual([])
  })

  test('that is not answered is not waited for', async () => {
    const { sender, clock } = new Sending({ treatments: ['deaf'] })
    const told = sender.notify({ text: '🔧 clock', isStatus: true, id: 'tool-1' })
    told.catch(() => undefined)
    await clock.advance(15_000)
    await expect(told).rejects.toThrow('did not answer')
  })
})
