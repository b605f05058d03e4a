import { isPending } from '@throughline/testing/faults/held-writes'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { blocksOf } from '../../src/cutting/block-chunker.ts'
import { fenceAfterText } from '../../src/cutting/fences.ts'
import { cutPayload, finalPayloads, type ReplyPayload } from '../../src/sending/payloads.ts'
import { createReplyPipeline } from '../../src/sending/reply-pipeline.ts'
import { FakeClock } from '../fake-clock.ts'

const limits = { minChars: 20, maxChars: 60 } as const
const timeoutMs = 1000

const runCount = Number(process.env['BLOCK_RUNS'] ?? 2_000)

test('whatever the channel does, every word arrives once and in order: by blocks or at the end', async () => {
  await fc.assert(
    fc.asyncProperty(shapes, steps, sends, async (messages, acts, outcomes) => {
      const clock = new FakeClock()
      const channel = new UnreliableChannel(clock, outcomes)
      const assistantTexts = textsOf(messages)
      const payloads = payloadsOf(assistantTexts)
      const pipeline = createReplyPipeline({
        send: payload => channel.send(payload),
        timeoutMs,
        startTimer: clock.startTimer,
        ...(acts.isJoining ? { coalesce: { minChars: 40, maxChars: 120, idleMs: 200 } } : {}),
      })
      for (const [turn, payload] of payloads.entries()) {
        pipeline.enqueue(payload)
        pipeline.enqueue(payload)
        const { type, ms } = acts.list[turn % acts.list.length] ?? { type: 'none', ms: 0 }
        if (type === 'wait') await clock.advance(ms)
        if (type === 'flush') void pipeline.flush({ force: true })
        if (type === 'notice')
          pipeline.enqueue({ text: 'Calling a tool', isStatus: true, id: `notice ${turn}` })
        if (type === 'medium') pipeline.enqueue({ media: [`medium ${turn}`] })
      }
      const stopped = pipeline.stop()
      while (await isPending(stopped)) await clock.advance(100)
      const finals = finalPayloads({ assistantTexts, pipeline })
      for (const final of finals.flatMap(payload => cutPayload(payload, limits))) channel.take(final)
      expect(channel.wordsTaken()).toEqual(wordsIn(assistantTexts.join(' ')))
      const media = payloads.flatMap((_, turn) =>
        acts.list[turn % acts.list.length]?.type === 'medium' ? [`medium ${turn}`] : [],
      )
      expect(channel.taken.flatMap(payload => payload.media ?? [])).toEqual(media)
      expect(channel.taken.filter(({ text = '' }) => fenceAfterText(undefined, text) !== undefined)).toEqual(
        [],
      )
      expect(channel.mostAtOnce).toBeLessThanOrEqual(1)
      expect(clock.timerCount).toBe(0)
    }),
    { numRuns: runCount },
  )
}, 300_000)

type Outcome = { readonly result: 'confirmed' | 'refused' | 'silent'; readonly ms: number }

class UnreliableChannel {
  readonly taken: ReplyPayload[] = []
  readonly #clock: FakeClock
  readonly #outcomes: readonly Outcome[]
  #count = 0
  #underWay = 0
  mostAtOnce = 0

  constructor(clock: FakeClock, outcomes: readonly Outcome[]) {
    this.#clock = clock
    this.#outcomes = outcomes
  }

  take(payload: ReplyPayload): void {
    if (payload.isStatus !== true) this.taken.push(payload)
  }

  async send(payload: ReplyPayload): Promise<void> {
    const { result, ms } = this.#outcomes[this.#count] ?? { result: 'confirmed', ms: 0 }
    this.#count += 1
    this.#underWay += 1
    this.mostAtOnce = Math.max(this.mostAtOnce, this.#underWay)
    if (result === 'silent') return new Promise(() => {})
    if (ms > 0) await new Promise<void>(resolve => this.#clock.startTimer(resolve, ms))
    this.#underWay -= 1
    if (result === 'refused') throw new Error('refused')
    this.take(payload)
  }

  wordsTaken(): string[] {
    return wordsIn(this.taken.map(({ text = '' }) => text).join(' '))
  }
}

function wordsIn(text: string): string[] {
  return text.match(/w\d+/g) ?? []
}

type Shape = readonly { readonly kind: 'prose' | 'lines' | 'fence' | 'open fence'; readonly words: number }[]

/** Texts in which every word is different, so that none can be lost, doubled or moved unseen. */
function textsOf(messages: readonly Shape[]): string[] {
  let count = 0
  const words = (wanted: number, separator: string) =>
    Array.from({ length: wanted }, () => {
      count += 1
      return `w${count}`
    }).join(separator)
  return messages.map(parts =>
    parts
      .map(({ kind, words: wanted }, index) => {
        if (kind === 'prose') return words(wanted, ' ')
        if (kind === 'lines') return words(wanted, '\n')
        const code = `\`\`\`js\n${words(wanted, '\n')}\n`
        // Left open in the middle, it would make one long line of code of the prose after it.
        return kind === 'open fence' && index === parts.length - 1 ? code : `${code}\`\`\``
      })
      .join('\n\n'),
  )
}

function payloadsOf(texts: readonly string[]): ReplyPayload[] {
  return texts.flatMap((text, messageIndex) =>
    blocksOf(text, limits).map((block, index) => ({
      ...block,
      messageIndex,
      id: `${messageIndex}.${index}`,
    })),
  )
}

const shape = fc.array(
  fc.record({
    kind: fc.constantFrom('prose', 'prose', 'lines', 'fence', 'fence', 'open fence'),
    words: fc.integer({ min: 1, max: 30 }),
  }),
  { minLength: 1, maxLength: 3 },
)
const shapes = fc.array(shape, { minLength: 1, maxLength: 3 })
const step = fc.record({
  type: fc.constantFrom('none', 'none', 'wait', 'flush', 'notice', 'medium'),
  ms: fc.integer({ min: 1, max: 400 }),
})
const steps = fc.record({ isJoining: fc.boolean(), list: fc.array(step, { minLength: 1, maxLength: 8 }) })
const sends = fc.array(
  fc.record({
    result: fc.oneof(
      { weight: 12, arbitrary: fc.constant('confirmed') },
      { weight: 1, arbitrary: fc.constantFrom('refused', 'silent') },
    ),
    ms: fc.integer({ min: 0, max: 900 }),
  }),
  { maxLength: 12 },
)
