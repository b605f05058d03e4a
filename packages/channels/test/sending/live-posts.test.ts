import type { OutboxItem } from '@throughline/protocol/internal'
import { settle } from '@throughline/testing/faults/held-writes'
import { promiseState, unsettled } from '@throughline/testing/waits/promise-state'
import { expect, test } from 'vitest'
import type { DeliveryOutbox } from '../../src/ports/delivery-outbox.ts'
import { postBody, RunOutbox } from '../../src/sending/run-outbox.ts'
import { LivePosts, type LivePostsOptions, sendPending } from '../../src/sending/send-posts.ts'
import { FakeChannel, type Treatment } from '../delivery/fake-channel.ts'
import { MemoryOutbox } from '../delivery/memory-outbox.ts'
import { Mortal } from '../delivery/mortal.ts'
import { FakeClock } from '../fake-clock.ts'

interface LiveOptions extends Partial<LivePostsOptions> {
  readonly treatments?: readonly Treatment[]
  readonly known?: readonly OutboxItem[]
  readonly store?: DeliveryOutbox
}

function live({ treatments = [], known = [], store, ...options }: LiveOptions = {}) {
  const clock = new FakeClock()
  const closing = new AbortController()
  const memory = new MemoryOutbox()
  memory.items.push(...known)
  const fake = new FakeChannel({ treatments })
  const reports: string[] = []
  const shared = {
    signal: closing.signal,
    report: (_: unknown, what: string) => void reports.push(what),
    startTimer: clock.startTimer,
  }
  const outbox = new RunOutbox(
    {
      ...shared,
      channel: fake.of(clock.startTimer),
      target: 'room',
      outbox: store ?? memory.of(new Mortal()),
      runId: 'run',
      replyTo: undefined,
      readMedium: async () => undefined,
    },
    known,
  )
  return {
    clock,
    closing,
    memory,
    fake,
    reports,
    sendAll: () => sendPending(outbox, shared),
    posts: new LivePosts({ ...shared, outbox, ...options }),
  }
}

function pending(index: number): OutboxItem {
  const body = postBody({ text: `Block ${index}.` })
  return { runId: 'run', index, body, status: 'pending', receipt: undefined }
}

test('a post is sent when it is saved, and settled when it is sent', async () => {
  const { posts, fake, memory } = live()
  await posts.send({ text: 'One.' })
  await posts.send({ text: 'One.' })
  expect(fake.texts()).toEqual(['One.', 'One.'])
  expect(memory.items.map(({ status }) => status)).toEqual(['sent', 'sent'])
})

test('what an earlier process has left goes out first', async () => {
  const { posts, fake } = live({ known: [pending(0), pending(1)] })
  await posts.send({ text: 'New.' })
  expect(fake.texts()).toEqual(['Block 0.', 'Block 1.', 'New.'])
})

test('nothing is saved while what is older does not go out', async () => {
  const { posts, memory } = live({ treatments: ['unavailable'], known: [pending(0)] })
  await posts.send({ text: 'New.' })
  expect(memory.items).toHaveLength(1)
})

test('after a post that failed no other block is sent or saved, but notices are sent', async () => {
  const { posts, fake, memory, reports } = live({ treatments: ['taken', 'unavailable'] })
  for (const text of ['One.', 'Two.', 'Three.']) await posts.send({ text })
  await posts.send({ media: ['a.png'] })
  await posts.notify({ key: 'tool-1', text: '🔧 clock' })
  expect(fake.texts()).toEqual(['One.', '🔧 clock'])
  expect(memory.items.map(({ status }) => status)).toEqual(['sent', 'pending'])
  expect(reports).toEqual([expect.stringContaining('was not taken')])
})

test('a channel that throws at once is one that failed', async () => {
  const { posts, fake } = live({ treatments: ['broken'] })
  await posts.send({ text: 'One.' })
  await posts.send({ text: 'Two.' })
  expect(fake.texts()).toEqual([])
})

test('after a post that took 15 seconds nothing more is sent, and its signal is aborted', async () => {
  const { posts, fake, clock } = live({ treatments: ['taken', 'deaf'] })
  await posts.send({ text: 'One.' })
  const sent = posts.send({ text: 'Two.' })
  await clock.advance(14_999)
  expect(await promiseState(sent)).toEqual(unsettled)
  expect(fake.requests.at(-1)?.signal.aborted).toBe(false)
  await clock.advance(1)
  await sent
  expect(fake.requests.at(-1)?.signal.aborted).toBe(true)
  await posts.send({ text: 'Three.' })
  await posts.notify({ key: 'tool-1', text: '🔧 clock' })
  expect(fake.requests).toHaveLength(2)
  expect(clock.timerCount).toBe(0)
})

test('a post that is confirmed after its time counts as sent', async () => {
  const { posts, fake, memory, clock, sendAll } = live({ treatments: ['late'], timeoutMs: 100 })
  const sent = posts.send({ text: 'One.' })
  await clock.advance(100)
  await sent
  expect(memory.items).toMatchObject([{ status: 'pending' }])
  await clock.advance(20_000)
  expect(memory.items).toMatchObject([{ status: 'sent' }])
  await sendAll()
  expect(fake.requests).toHaveLength(1)
})

test('a confirmation after its time lets nothing more out', async () => {
  const { posts, fake, clock, memory } = live({ treatments: ['late'], known: [pending(0), pending(1)] })
  const sent = posts.send({ text: 'New.' })
  await clock.advance(40_000)
  await sent
  expect(fake.requests).toHaveLength(1)
  expect(memory.items.map(({ status }) => status)).toEqual(['sent', 'pending'])
})

test('a notice that cannot be sent holds no block up', async () => {
  const { posts, fake } = live({ treatments: ['unavailable'] })
  await posts.notify({ key: 'tool-1', text: '🔧 clock' })
  await posts.send({ text: 'One.' })
  expect(fake.texts()).toEqual(['One.'])
})

test('a notice to which the channel does not respond is not waited for longer than 15 seconds', async () => {
  const { posts, clock } = live({ treatments: ['deaf'] })
  const told = posts.notify({ key: 'tool-1', text: '🔧 clock' })
  await clock.advance(14_999)
  expect(await promiseState(told)).toEqual(unsettled)
  await clock.advance(1)
  await told
})

test('between two messages there is a pause as long as wanted, but not before the first', async () => {
  const { posts, fake, clock } = live({ pauseMs: text => text.length * 100 })
  await posts.send({ text: 'One' })
  const sent = posts.send({ text: 'Two' })
  await clock.advance(299)
  expect(fake.texts()).toEqual(['One'])
  await clock.advance(1)
  await sent
  expect(fake.texts()).toEqual(['One', 'Two'])
  expect(clock.timerCount).toBe(0)
})

test.each([
  ['a pause', { pauseMs: () => 60_000 }],
  ['a send', { treatments: ['taken', 'deaf'] as const }],
])('an abort ends %s at once, and nothing more is sent', async (_, options) => {
  const { posts, fake, closing, clock } = live(options)
  await posts.send({ text: 'One.' })
  const sent = posts.send({ text: 'Two.' })
  sent.catch(() => undefined)
  await settle()
  closing.abort(new Error('Closing.'))
  await expect(sent).rejects.toThrow('Closing.')
  expect(fake.texts()).toEqual(['One.'])
  expect(clock.timerCount).toBe(0)
})

test('a store that fails ends the delivery, and nothing is sent', async () => {
  const store = {
    ...new MemoryOutbox().of(new Mortal()),
    add: () => Promise.reject(new Error('The disk is full.')),
  }
  const { posts, fake } = live({ store })
  await expect(posts.send({ text: 'One.' })).rejects.toThrow('The disk is full.')
  expect(fake.requests).toEqual([])
})

test('a store that is only slow is waited for before anything is sent', async () => {
  const written = Promise.withResolvers<void>()
  const store = { ...new MemoryOutbox().of(new Mortal()), add: () => written.promise }
  const { posts, fake } = live({ store })
  const sent = posts.send({ text: 'One.' })
  expect(await promiseState(sent)).toEqual(unsettled)
  expect(fake.requests).toEqual([])
  written.resolve()
  await sent
  expect(fake.texts()).toEqual(['One.'])
})
