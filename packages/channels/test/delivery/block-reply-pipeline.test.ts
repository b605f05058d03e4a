import { settle } from '@throughline/testing/faults/held-writes'
import { promiseState, unsettled } from '@throughline/testing/waits/promise-state'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BlockChunker, blocksOf } from '../../src/cutting/block-chunker.ts'
import { joinBlocks } from '../../src/cutting/blocks.ts'
import { type BlockReplyOptions, createBlockReplyPipeline } from '../../src/delivery/block-reply-pipeline.ts'
import { chunking, plainAnswer } from '../cutting/answer-arbitrary.ts'
import { FakeClock } from '../fake-clock.ts'
import { FakeChannel, type Treatment } from './fake-channel.ts'

interface Setting extends Partial<BlockReplyOptions> {
  readonly treatments?: readonly Treatment[]
}

function piping({ treatments = [], ...options }: Setting = {}) {
  const clock = new FakeClock()
  const channel = new FakeChannel({ treatments })
  const pipeline = createBlockReplyPipeline({
    channel: channel.of(clock.startTimer),
    target: 'room-7',
    runId: 'run_1',
    minChars: 20,
    maxChars: 60,
    startTimer: clock.startTimer,
    ...options,
  })
  return { clock, channel, pipeline }
}

const long = 'A block that is long enough.'

describe('what is enqueued', () => {
  test('is sent in order, one message at a time, each with a key of its own', async () => {
    const { channel, pipeline } = piping({ replyTo: 'm1' })
    for (const text of [`${long} 1`, `${long} 2`, `${long} 3`]) pipeline.enqueue({ text })
    await pipeline.flush()
    expect(channel.texts()).toEqual([`${long} 1`, `${long} 2`, `${long} 3`])
    expect(channel.shown.map(({ key }) => key)).toEqual(['run_1.0', 'run_1.1', 'run_1.2'])
    expect(channel.shown.map(({ first }) => first.replyTo)).toEqual(['m1', undefined, undefined])
    expect(channel.mostAtOnce).toBe(1)
  })

  test('is joined when it is short, and sent when nothing follows for a second', async () => {
    const { channel, pipeline, clock } = piping()
    pipeline.enqueue({ text: 'One.' })
    pipeline.enqueue({ before: ' ', text: 'Two.' })
    await clock.advance(999)
    expect(channel.texts()).toEqual([])
    expect(pipeline.hasBuffered()).toBe(true)
    await clock.advance(1)
    expect(channel.texts()).toEqual(['One. Two.'])
    expect(pipeline.hasBuffered()).toBe(false)
  })

  test('stays in its place when it is a file, and the same file is sent once', async () => {
    const { channel, pipeline } = piping()
    const file = { media: ['data:text/plain,hello'] }
    pipeline.enqueue({ text: 'Before.' })
    pipeline.enqueue(file)
    pipeline.enqueue({ ...file })
    pipeline.enqueue({ text: 'After.' })
    await pipeline.flush({ force: true })
    expect(channel.shown.map(({ message }) => message.medium?.mediaType ?? message.text)).toEqual([
      'Before.',
      'text/plain',
      'After.',
    ])
  })

  test('is cut when the channel could not take it in one message', async () => {
    const { channel, pipeline } = piping()
    const text = 'word '.repeat(40).trim()
    pipeline.enqueue({ text })
    await pipeline.flush({ force: true })
    expect(channel.texts().every(each => each.length <= 60)).toBe(true)
    expect(channel.texts().join(' ')).toBe(text)
  })

  test('is nothing when it has no text', async () => {
    const { channel, pipeline } = piping()
    pipeline.enqueue({ text: ' \n' })
    pipeline.enqueue({})
    await pipeline.flush({ force: true })
    expect(channel.requests).toEqual([])
    expect(pipeline.hasBuffered()).toBe(false)
  })
})

describe('flush', () => {
  test('sends a short block at once with force, and leaves it waiting without', async () => {
    const { channel, pipeline } = piping()
    pipeline.enqueue({ text: 'One.' })
    await pipeline.flush()
    expect(channel.texts()).toEqual([])
    await pipeline.flush({ force: true })
    expect(channel.texts()).toEqual(['One.'])
  })

  test.each([{ force: true }, { force: false }])('waits for the channel: %j', async options => {
    const { pipeline, clock } = piping({ treatments: ['late'], timeoutMs: 30_000 })
    pipeline.enqueue({ text: long })
    const flushed = pipeline.flush(options)
    await clock.advance(19_999)
    expect(await promiseState(flushed)).toEqual(unsettled)
    expect(pipeline.didStream()).toBe(false)
    await clock.advance(1)
    await flushed
    expect(pipeline.didStream()).toBe(true)
  })
})

test('after stop nothing more is taken, and what was taken is sent at once', async () => {
  const { channel, pipeline, clock } = piping()
  pipeline.enqueue({ text: 'One.' })
  pipeline.stop()
  pipeline.enqueue({ text: 'Two.' })
  await pipeline.flush()
  await pipeline.flush({ force: true })
  pipeline.stop()
  expect(channel.texts()).toEqual(['One.'])
  expect(pipeline.isAborted()).toBe(false)
  expect(clock.timerCount).toBe(0)
})

describe('a channel that does not take a message', () => {
  test.each<[Treatment, number]>([
    ['unavailable', 0],
    ['refused', 0],
    ['broken', 0],
    ['silent', 15_000],
    ['deaf', 15_000],
  ])('aborts the pipeline, and the rest can be sent later: %s', async (treatment, ms) => {
    const reports: string[] = []
    const report = (_: unknown, what: string) => void reports.push(what)
    const { channel, pipeline, clock } = piping({ treatments: ['taken', treatment], report })
    const said = `${long} Another block that is long enough. The last.`
    for (const block of blocksOf(said, { minChars: 20, maxChars: 40, preference: 'sentence' }))
      pipeline.enqueue(block)
    const flushed = pipeline.flush({ force: true })
    await clock.advance(ms)
    await flushed
    expect(channel.texts()).toEqual([long])
    expect([pipeline.isAborted(), pipeline.hasBuffered()]).toEqual([true, false])
    expect(pipeline.hasSentPayload({ text: long })).toBe(true)
    expect(pipeline.hasSentPayload({ text: said })).toBe(false)
    expect(joinBlocks(pipeline.unsent(said).map(asBlock))).toBe(said.slice(long.length))
    expect(reports).toHaveLength(1)
  })
})

test('an abort of the signal ends the pipeline, also while nothing is sent', async () => {
  const abort = new AbortController()
  const { channel, pipeline, clock } = piping({ signal: abort.signal })
  pipeline.enqueue({ text: 'One.' })
  await settle()
  abort.abort()
  pipeline.enqueue({ text: long })
  await pipeline.flush({ force: true })
  expect(channel.requests).toEqual([])
  expect([pipeline.isAborted(), pipeline.didStream(), pipeline.hasBuffered()]).toEqual([true, false, false])
  expect(clock.timerCount).toBe(0)
})

describe('hasSentPayload', () => {
  test('compares what is in a payload: blocks, rows of blocks and files, but no part of a block', async () => {
    const { pipeline } = piping()
    const file = { media: ['data:text/plain,hello'] }
    for (const block of [{ text: 'One two.' }, { before: '\n\n', text: 'Three.' }, { text: 'Four.' }, file])
      pipeline.enqueue(block)
    expect(pipeline.hasSentPayload({ text: 'One two.' })).toBe(false)
    await pipeline.flush({ force: true })
    const isSent = (text: string) => pipeline.hasSentPayload({ text })
    expect(['One two.', 'Three. ', 'One two. Three.', 'Three.\nFour.'].map(isSent)).toEqual([
      true,
      true,
      true,
      true,
    ])
    expect(['One', 'two. Three.', 'Thr', 'Five.', '', 'One two. Four.'].some(isSent)).toBe(false)
    expect(pipeline.hasSentPayload({ ...file })).toBe(true)
    expect(pipeline.hasSentPayload({ media: ['data:text/plain,other'] })).toBe(false)
  })
})

test('with a chunker in front, a text arrives whole and in order, whatever it is and whenever it is flushed', async () => {
  const flushes = fc.array(fc.constantFrom('no', 'flush', 'force'), { maxLength: 8 })
  // A fence gets lines of its own in every block, so the texts of the blocks would not be the text.
  const unfenced = plainAnswer.map(text => text.replaceAll(/[`~]/g, ''))
  await fc.assert(
    fc.asyncProperty(unfenced, chunking, flushes, async (text, limits, when) => {
      const { pipeline, channel } = piping(limits)
      const chunker = new BlockChunker(limits)
      const size = Math.ceil(text.length / (when.length + 1))
      for (const [index, each] of [...when, 'force'].entries()) {
        chunker.append(text.slice(index * size, (index + 1) * size))
        chunker.drain({ force: each === 'force', emit: pipeline.enqueue })
        if (each !== 'no') await pipeline.flush({ force: each === 'force' })
      }
      pipeline.stop()
      await pipeline.flush()
      expect(withoutSpace(channel.texts().join(''))).toBe(withoutSpace(text))
      expect(channel.texts().every(each => each.length <= limits.maxChars)).toBe(true)
      expect(pipeline.unsent(text)).toEqual([])
      expect(pipeline.hasSentPayload({ text })).toBe(withoutSpace(text) !== '')
    }),
  )
})

function asBlock({
  before = '',
  text = '',
  reopening = '',
  closing = '',
}: {
  readonly before?: string | undefined
  readonly text?: string | undefined
  readonly reopening?: string | undefined
  readonly closing?: string | undefined
}) {
  return { before, text, reopening, closing }
}

function withoutSpace(text: string): string {
  return text.replaceAll(/\s+/g, '')
}
