import type { OutboxItem } from '@throughline/protocol/internal'
import { settle } from '@throughline/testing/faults/held-writes'
import { describe, expect, test } from 'vitest'
import type { BlockPart } from '../../src/reading/reply-part.ts'
import { keptFrom, postBody, RunOutbox } from '../../src/sending/run-outbox.ts'
import { GrowingMessages } from '../../src/sending/send-posts.ts'
import { paceEdits } from '../../src/stages/pace-blocks.ts'
import { FakeChannel, type Treatment } from '../delivery/fake-channel.ts'
import { MemoryOutbox } from '../delivery/memory-outbox.ts'
import { type Fault, Mortal } from '../delivery/mortal.ts'
import { block, blockOf, fileMark, PartSource, partial, toolMark } from '../delivery/part-source.ts'
import { FakeClock } from '../fake-clock.ts'

interface GrowingOptions {
  readonly treatments?: readonly Treatment[]
  /** What earlier processes have saved; the last of it may not be complete. */
  readonly known?: readonly OutboxItem[]
  readonly faults?: ReadonlyMap<number, Fault>
}

/** Blocks that come when the test says so, on their way into messages that grow. */
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
  const { startTimer } = clock
  const report = (_: unknown, what: string) => void reports.push(what)
  const tries = { signal: closing.signal, report, startTimer }
  const outbox = new RunOutbox(
    {
      ...tries,
      channel: fake.of(startTimer),
      target: 'room',
      outbox: memory.of(new Mortal(faults)),
      runId: 'run',
      replyTo: undefined,
      readMedium: async () => undefined,
    },
    known,
  )
  const open = known.length === 0 ? undefined : known.length - 1
  const messages = new GrowingMessages({ ...tries, outbox, open })
  const source = new PartSource()
  const shown = showAll(paceEdits(source, { intervalMs: 1_000, startTimer }), messages)
  shown.catch(() => undefined)
  const stop = () => {
    source.end()
    return shown
  }
  const take = (...parts: readonly BlockPart[]) => source.push(...parts)
  return { clock, closing, memory, fake, take, stop, shown, reports }
}

async function showAll(parts: AsyncIterable<BlockPart>, messages: GrowingMessages): Promise<void> {
  for await (const part of parts) {
    if (part.type === 'block') await messages.send(part.block)
    if (part.type === 'partial') await messages.show(part.block)
    if (part.type === 'file') await messages.send({ media: [part.url] })
    if (part.type === 'tool') await messages.notify({ key: part.toolCallId, text: '🔧 clock' })
  }
}

function sent(index: number, text: string): OutboxItem {
  return { runId: 'run', index, body: postBody({ text }), status: 'sent', receipt: `r${index}` }
}

test('a block is sent as soon as it has a word, edited while it grows, and complete in the end', async () => {
  const { take, stop, clock, fake, memory } = growing()
  take(partial('The'))
  await settle()
  expect(fake.texts()).toEqual(['The'])
  take(partial('The sky'))
  await clock.advance(1_000)
  expect(fake.texts()).toEqual(['The sky'])
  // The outbox tells how far the answer has got, so it knows only complete blocks.
  expect(memory.items.map(({ body }) => keptFrom(body).post)).toEqual([blockOf('The')])
  take(block('The sky is clear.'))
  await stop()
  expect(fake.texts()).toEqual(['The sky is clear.'])
  expect(memory.items.map(({ body }) => keptFrom(body).post)).toEqual([blockOf('The sky is clear.')])
})

test('what is overtaken by something newer is left out', async () => {
  const { take, stop, clock, fake } = growing()
  take(partial('a'))
  await settle()
  for (const text of ['a b', 'a b c', 'a b c d']) take(partial(text))
  await clock.advance(1_000)
  take(partial('a b c d e'))
  take(block('a b c d e f'))
  await stop()
  expect(fake.edits.map(({ text }) => text)).toEqual(['a b c d', 'a b c d e f'])
})

test('a message is edited once in an interval, but what is complete does not wait', async () => {
  const { take, clock, fake } = growing()
  take(partial('a'))
  await settle()
  take(partial('a b'))
  await clock.advance(999)
  expect(fake.texts()).toEqual(['a'])
  take(block('a b c'))
  await settle()
  expect(fake.texts()).toEqual(['a b c'])
  expect(clock.timerCount).toBe(0)
})

test('each block is a message of its own', async () => {
  const { take, stop, fake, memory } = growing()
  take(block('One.'), block('Two.'), partial('T'))
  await settle()
  take(partial('Thr'), block('Three.'))
  await stop()
  expect(fake.texts()).toEqual(['One.', 'Two.', 'Three.'])
  expect(fake.edits).toEqual([{ receipt: 'receipt of run.2', text: 'Three.' }])
  expect(memory.items.map(({ status }) => status)).toEqual(['sent', 'sent', 'sent'])
})

test('a medium is a message of its own, and what is written after it comes behind it', async () => {
  const { take, stop, fake } = growing()
  take(partial('Look'))
  await settle()
  take(block('Look:'))
  take(fileMark('https://example.com/a.png'))
  take(partial('Nice'))
  take(block('Nice.'))
  await stop()
  expect(fake.texts()).toEqual(['Look:', 'https://example.com/a.png', 'Nice.'])
})

test('a message that was begun and never completed stays as it is when something else comes', async () => {
  const { take, stop, fake } = growing()
  take(partial('Loo'))
  await settle()
  take(fileMark('https://example.com/a.png'))
  take(block('Nice.'))
  await stop()
  expect(fake.texts()).toEqual(['Loo', 'https://example.com/a.png', 'Nice.'])
})

test('a mark does not wait for an interval: the newest text is shown, then the mark', async () => {
  const { take, fake, clock } = growing()
  take(partial('O'))
  await settle()
  take(partial('On'), partial('One'), toolMark('tool-1'))
  await settle()
  expect(fake.texts()).toEqual(['One', '🔧 clock'])
  expect(fake.edits).toHaveLength(1)
  expect(clock.timerCount).toBe(0)
})

test('an interval in which nothing came is over without an edit', async () => {
  const { take, fake, clock } = growing()
  take(partial('On'))
  await clock.advance(5_000)
  expect(fake.edits).toEqual([])
  take(partial('One'))
  await settle()
  expect(fake.texts()).toEqual(['One'])
})

test('what is completed while it is being sent is shown right after that', async () => {
  const { take, clock, fake } = growing({ treatments: ['unavailable'] })
  take(partial('On'))
  await settle()
  take(block('One.'))
  await clock.advance(1_000)
  expect(fake.texts()).toEqual(['One.'])
})

describe('after a crash', () => {
  test('the last message is edited again, whatever it says: nobody knows how far it had got', async () => {
    const { take, stop, fake } = growing({ known: [sent(0, 'One.'), sent(1, 'Tw')] })
    take(block('Two.'))
    take(block('Three.'))
    await stop()
    expect(fake.texts()).toEqual(['One.', 'Two.', 'Three.'])
    const same = growing({ known: [sent(0, 'One.')] })
    same.take(block('One.'))
    await same.stop()
    expect(same.fake.edits).toEqual([{ receipt: 'r0', text: 'One.' }])
  })

  test('a message of which nobody knows whether it was sent is sent first, under its key', async () => {
    const pending = { ...sent(0, 'On'), status: 'pending', receipt: undefined } as const
    const { take, stop, fake } = growing({ known: [pending] })
    take(block('One.'))
    await stop()
    expect(fake.shown).toMatchObject([{ key: 'run.0', first: { text: 'On' }, message: { text: 'One.' } }])
  })
})

describe('a channel that fails', () => {
  test('is tried until it takes a message or an edit, and nothing overtakes', async () => {
    const { take, stop, clock, fake } = growing({
      treatments: ['unavailable', 'taken', 'busy', 'silent', 'lost'],
    })
    take(partial('On'))
    await clock.advance(1_000)
    take(block('One.'))
    take(block('Two.'))
    const stopped = stop()
    await clock.advance(300_000)
    await stopped
    expect(fake.texts()).toEqual(['One.', 'Two.'])
    expect(fake.mostAtOnce).toBe(1)
  })

  test('and refuses a message for good gets the next one', async () => {
    const { take, stop, fake, reports } = growing({ treatments: ['refused'] })
    take(partial('On'))
    await settle()
    take(block('One.'))
    take(block('Two.'))
    await stop()
    expect(fake.texts()).toEqual(['Two.'])
    expect(reports).toEqual(['a block was not taken by its channel and is given up'])
  })

  test('for a notice holds nothing up: neither when it fails nor when it is silent', async () => {
    const { take, stop, clock, fake } = growing({ treatments: ['unavailable', 'deaf'] })
    take(toolMark('tool-1'))
    take(toolMark('tool-2'))
    take(block('One.'))
    const stopped = stop()
    await clock.advance(15_000)
    await stopped
    expect(fake.texts()).toEqual(['One.'])
  })
})

test('an end of all ends the wait for the next edit, and nothing is shown after it', async () => {
  const { take, stop, clock, closing, memory, fake } = growing()
  take(partial('On'))
  await settle()
  take(partial('One'))
  closing.abort(new Error('Closing.'))
  await stop()
  expect(clock.timerCount).toBe(0)
  await clock.advance(10_000)
  expect(fake.texts()).toEqual(['On'])
  expect(memory.items).toHaveLength(1)
})

test('an end of all ends a send that nobody responds to', async () => {
  const { take, clock, closing, shown } = growing({ treatments: ['deaf'] })
  take(partial('On'))
  await settle()
  closing.abort(new Error('Closing.'))
  await expect(shown).rejects.toThrow('Closing.')
  expect(clock.timerCount).toBe(0)
})

test('a store that fails ends the delivery, and nothing more is shown', async () => {
  const { take, shown, fake } = growing({ faults: new Map([[0, 'fails before']]) })
  take(block('One.'), block('Two.'))
  await expect(shown).rejects.toThrow('The store is not there.')
  expect(fake.texts()).toEqual([])
})
