import type { OutboxItem } from '@throughline/protocol/internal'
import { settle } from '@throughline/testing/faults/held-writes'
import { describe, expect, test } from 'vitest'
import type { Channel } from '../../src/ports/channel.ts'
import type { DeliveryOutbox } from '../../src/ports/delivery-outbox.ts'
import type { Notice } from '../../src/sending/post.ts'
import { keptFrom, postBody, RunOutbox, type RunOutboxOptions } from '../../src/sending/run-outbox.ts'
import { sendPending, type TryOptions, tryOnce, tryUntilTaken } from '../../src/sending/send-posts.ts'
import { FakeChannel, numberIn, type Treatment } from '../delivery/fake-channel.ts'
import { MemoryOutbox } from '../delivery/memory-outbox.ts'
import { Mortal } from '../delivery/mortal.ts'
import { FakeClock } from '../fake-clock.ts'

interface SendingOptions extends Partial<RunOutboxOptions> {
  readonly giveUpMs?: number
  readonly treatments?: readonly Treatment[]
  readonly known?: readonly OutboxItem[]
}

class Sending {
  readonly clock = new FakeClock()
  readonly closing = new AbortController()
  readonly memory = new MemoryOutbox()
  readonly reports: string[] = []
  readonly fake: FakeChannel
  readonly outbox: RunOutbox
  readonly #tries: TryOptions

  constructor({ treatments = [], known = [], giveUpMs, ...options }: SendingOptions = {}) {
    this.fake = new FakeChannel({ treatments })
    this.memory.items.push(...known)
    this.#tries = {
      report: (_, what) => this.reports.push(what),
      signal: this.closing.signal,
      startTimer: this.clock.startTimer,
      now: () => this.clock.now,
      giveUpMs,
    }
    this.outbox = new RunOutbox(
      {
        ...this.#tries,
        channel: this.fake.of(this.clock.startTimer),
        target: 'room',
        outbox: this.memory.of(new Mortal()),
        runId: 'run',
        replyTo: undefined,
        readMedium: async () => undefined,
        ...options,
      },
      known,
    )
  }

  sendAll = () => sendPending(this.outbox, this.#tries)

  tell = (notice: Notice) => tryOnce(signal => this.outbox.notify(notice, signal), this.#tries)

  change = (index: number, text: string) =>
    tryUntilTaken(signal => this.outbox.edit(index, text, signal), 'an edit', this.#tries)
}

function item(index: number, change: Partial<OutboxItem> = {}): OutboxItem {
  const body = postBody({ text: `Block ${index}.` })
  return { runId: 'run', index, body, status: 'pending', receipt: undefined, ...change }
}

describe('a payload', () => {
  test('is written down before it is sent, and settled with the receipt', async () => {
    const { sendAll, outbox, memory, fake } = new Sending()
    await outbox.keep({ text: 'One.' })
    expect(memory.items).toEqual([
      {
        ...{ runId: 'run', index: 0, status: 'pending', receipt: undefined },
        body: expect.stringMatching(/^{"text":"One\.","key":"[0-9a-f]{8}"}$/),
      },
    ])
    expect(fake.requests).toEqual([])
    await sendAll()
    expect(fake.requests).toMatchObject([
      {
        target: 'room',
        message: { text: 'One.' },
        idempotencyKey: expect.stringMatching(/^run\.0\.[0-9a-f]{8}$/),
      },
    ])
    expect(memory.items).toMatchObject([{ status: 'sent', receipt: 'receipt of run.0' }])
  })

  test('answers the inbound message if it is the run’s first', async () => {
    const { sendAll, outbox, fake } = new Sending({ replyTo: 'm1' })
    await outbox.keep({ text: 'One.' })
    await outbox.keep({ text: 'Two.' })
    await sendAll()
    expect(fake.shown.map(({ message }) => message.replyTo)).toEqual(['m1', undefined])
  })

  test('answers nothing if an earlier process has sent the first', async () => {
    const { sendAll, outbox, fake } = new Sending({ replyTo: 'm1', known: [item(0, { status: 'sent' })] })
    await outbox.keep({ text: 'Two.' })
    await sendAll()
    expect(fake.shown).toMatchObject([{ key: 'run.1', message: { text: 'Two.', replyTo: undefined } }])
  })
})

test('what an earlier process left goes out under its old key; what it has settled does not', async () => {
  const known = [item(0, { status: 'sent', receipt: 'r' }), item(1), item(2, { status: 'failed' }), item(3)]
  const { sendAll, fake } = new Sending({ known })
  await sendAll()
  expect(fake.shown.map(({ key }) => key)).toEqual(['run.1', 'run.3'])
})

test('when a database has lost what was sent, another text has another key, and the same text has the same one', async () => {
  const keysOf = async (...texts: readonly string[]) => {
    const { sendAll, outbox, fake } = new Sending()
    for (const text of texts) await outbox.keep({ text })
    await sendAll()
    return fake.requests.map(({ idempotencyKey }) => idempotencyKey)
  }
  const [one, two] = await keysOf('One.', 'Two.')
  const [again, other] = await keysOf('One.', 'Three.')
  expect(again).toBe(one)
  expect(other).not.toBe(two)
  expect(new Set(await keysOf('One.', 'One.')).size).toBe(2)
})

test('the key of a message that has another text by now stays', async () => {
  const first = new Sending()
  await first.outbox.keep({ text: 'One' })
  await first.sendAll()
  const second = new Sending()
  await second.outbox.keep({ text: 'One' })
  await second.outbox.rewrite(0, { text: 'One two.' })
  const next = new Sending({ known: second.memory.items })
  await next.sendAll()
  const [sent] = first.fake.requests
  const message = { text: 'One two.' }
  expect(next.fake.requests).toMatchObject([{ idempotencyKey: sent?.idempotencyKey, message }])
})

test('what is left of another run is not this one’s', async () => {
  const { sendAll, outbox, fake } = new Sending({
    known: [item(0, { runId: 'removed' }), item(1, { runId: 'removed' })],
  })
  expect(outbox.posts).toEqual([])
  await outbox.keep({ text: 'One.' })
  await sendAll()
  expect(fake.shown.map(({ key }) => key)).toEqual(['run.0'])
})

test('a damaged item is named, and nothing is sent', () => {
  expect(() => new Sending({ known: [item(0, { body: '{"text":5}' })] })).toThrow('outbox is damaged')
})

test('nothing overtakes what is tried again', async () => {
  const { sendAll, outbox, fake, clock } = new Sending({ treatments: ['unavailable', 'busy', 'taken'] })
  await outbox.keep({ text: 'One.' })
  await outbox.keep({ text: 'Two.' })
  const sent = sendAll()
  await clock.advance(100_000)
  await sent
  expect(fake.requests.map(({ idempotencyKey }) => numberIn(idempotencyKey))).toEqual([
    'run.0',
    'run.0',
    'run.0',
    'run.1',
  ])
})

test('what is refused is settled as failed, and the next is sent', async () => {
  const { sendAll, outbox, fake, memory, reports } = new Sending({ treatments: ['refused'] })
  await outbox.keep({ text: 'One.' })
  await outbox.keep({ text: 'Two.' })
  await sendAll()
  expect(memory.items.map(({ status }) => status)).toEqual(['failed', 'sent'])
  expect(fake.texts()).toEqual(['Two.'])
  expect(reports).toEqual(['a block was not taken by its channel and is given up'])
})

test('what no channel should throw is tried again, for it may be a network that was gone for a moment', async () => {
  const { sendAll, outbox, fake, clock } = new Sending({ treatments: ['broken'] })
  await outbox.keep({ text: 'One.' })
  const sent = sendAll()
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
  const { sendAll, outbox, clock, memory } = new Sending({ channel, giveUpMs: 5_000 })
  await outbox.keep({ text: 'One.' })
  const sent = sendAll()
  await clock.advance(5_000)
  await sent
  expect(memory.items).toMatchObject([{ status: 'failed' }])
})

describe('a confirmation that comes late', () => {
  test('counts, and the message is not sent again', async () => {
    // The first attempt is confirmed after 20 s, and the second, at 16 s, fails: there would be a third at 33 s.
    const { sendAll, outbox, fake, clock, memory } = new Sending({ treatments: ['late', 'busy'] })
    await outbox.keep({ text: 'One.' })
    const sent = sendAll()
    await clock.advance(300_000)
    await sent
    expect(fake.requests).toHaveLength(2)
    expect(memory.items).toMatchObject([{ status: 'sent', receipt: 'receipt of run.0' }])
  })
})

describe('a store that fails', () => {
  const failing = (method: keyof DeliveryOutbox): DeliveryOutbox => {
    const outbox = new MemoryOutbox().of(new Mortal())
    return { ...outbox, [method]: () => Promise.reject(new Error('The disk is full.')) }
  }

  test('while something is saved is told to whoever saves it, and nothing is sent', async () => {
    const { sendAll, outbox, fake } = new Sending({ outbox: failing('add') })
    await expect(outbox.keep({ text: 'One.' })).rejects.toThrow('The disk is full.')
    expect(outbox.posts).toEqual([])
    await sendAll()
    expect(fake.requests).toEqual([])
  })

  test('while a message is rewritten is told, too', async () => {
    const { outbox } = new Sending({ outbox: failing('rewrite') })
    await outbox.keep({ text: 'One' })
    await expect(outbox.rewrite(0, { text: 'One.' })).rejects.toThrow('The disk is full.')
    expect(outbox.posts).toEqual([{ text: 'One' }])
  })

  test('while something is settled is told, and what was sent is not sent again', async () => {
    const { sendAll, outbox, fake, reports } = new Sending({ outbox: failing('settle') })
    await outbox.keep({ text: 'One.' })
    await sendAll()
    await sendAll()
    expect(fake.requests).toHaveLength(1)
    expect(reports).toEqual(['what became of a block could not be saved'])
  })

  test('while a file is read is not taken for a refusal', async () => {
    const readMedium = () => Promise.reject(new Error('The disk is gone.'))
    const { sendAll, outbox, memory } = new Sending({ readMedium })
    await outbox.keep({ media: ['/api/chats/c/files/f'] })
    await expect(sendAll()).rejects.toThrow('The disk is gone.')
    expect(memory.items).toMatchObject([{ status: 'pending' }])
  })
})

describe('an end of all', () => {
  test('lets nothing more be written down', async () => {
    const { outbox, memory, closing } = new Sending()
    closing.abort(new Error('Closing.'))
    await expect(outbox.keep({ text: 'One.' })).rejects.toThrow('Closing.')
    expect(memory.items).toEqual([])
  })

  test('ends a send that nobody answers, and leaves it pending', async () => {
    const { sendAll, outbox, memory, closing, clock } = new Sending({ treatments: ['deaf'] })
    await outbox.keep({ text: 'One.' })
    const sent = sendAll()
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
    const { sendAll, change, outbox, fake, clock } = new Sending({
      treatments: ['taken', 'unavailable', 'deaf'],
    })
    await outbox.keep({ text: 'One' })
    await sendAll()
    const edited = change(0, 'One two.')
    await clock.advance(60_000)
    await edited
    expect(fake.edits).toEqual([{ receipt: 'receipt of run.0', text: 'One two.' }])
  })

  test('of a message that was never taken does nothing', async () => {
    const { sendAll, change, outbox, fake } = new Sending({ treatments: ['refused'] })
    await outbox.keep({ text: 'One' })
    await sendAll()
    await change(0, 'One two.')
    expect(fake.edits).toEqual([])
  })

  test('that was written down keeps what the message answers', async () => {
    const { outbox, memory } = new Sending({ replyTo: 'm1' })
    await outbox.keep({ text: 'One' })
    await outbox.rewrite(0, { text: 'One two.' })
    expect(memory.items.map(({ body }) => keptFrom(body).post)).toEqual([{ text: 'One two.', replyTo: 'm1' }])
  })
})

describe('a notice', () => {
  test('goes out once, under a key that no block has, and is not written down', async () => {
    const { tell, fake, memory } = new Sending({ treatments: ['unavailable'] })
    await expect(tell({ key: 'tool-1', text: '🔧 clock' })).rejects.toThrow()
    expect(fake.requests).toMatchObject([{ idempotencyKey: 'run.tool-1', message: { text: '🔧 clock' } }])
    expect(memory.items).toEqual([])
  })

  test('R59: is sent once per key, as told by the keys of what was sent directly', async () => {
    const { tell, fake } = new Sending()
    for (const key of ['tool-1', 'tool-1', 'tool-2']) await tell({ key, text: '🔧 clock' })
    expect(fake.requests.map(({ idempotencyKey }) => idempotencyKey)).toEqual(['run.tool-1', 'run.tool-2'])
  })

  test('that is not answered is not waited for', async () => {
    const { tell, clock } = new Sending({ treatments: ['deaf'] })
    const told = tell({ key: 'tool-1', text: '🔧 clock' })
    told.catch(() => undefined)
    await clock.advance(15_000)
    await expect(told).rejects.toThrow('did not respond')
  })
})

describe('R58, R59: what was sent', () => {
  const approval = { id: 'a', toolName: 'remove', input: '{}', isInputCut: false, isAskedHere: true }
  const outcome = { approved: true }

  test('is known by its key, not by which object it is, whichever process has saved it', async () => {
    const known = [
      item(0, { body: postBody({ media: ['a.png'] }) }),
      item(1, { body: postBody({ approval }) }),
    ]
    const { outbox } = new Sending({ known })
    await outbox.keep({ text: '⚠️ The model broke off.', isStatus: true })
    expect(outbox.hasSentPayload({ media: ['a.png'] })).toBe(true)
    expect(outbox.hasSentPayload({ media: ['b.png'] })).toBe(false)
    expect(outbox.hasSentPayload({ approval: { ...approval, input: '{"what":"all"}' } })).toBe(true)
    expect(outbox.hasSentPayload({ approval: { ...approval, outcome } })).toBe(false)
    expect(outbox.hasSentPayload({ approval: { ...approval, id: 'b' } })).toBe(false)
    expect(outbox.hasSentPayload({ text: '⚠️ stopped', isStatus: true })).toBe(true)
  })

  test('of the text is known by how far it reaches, because an answer may repeat itself', async () => {
    const { outbox } = new Sending()
    await outbox.keep({ text: 'Ho!' })
    expect(outbox.hasSentPayload({ text: 'Ho!' })).toBe(false)
    expect(outbox.reach).toBe(3)
    await outbox.keep({ before: ' ', text: 'Ho!' })
    await outbox.keep({ media: ['a.png'] })
    await outbox.keep({ text: 'Ho!', isStatus: true })
    expect(outbox.reach).toBe(7)
  })
})
