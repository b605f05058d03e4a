import { expect, test } from 'vitest'
import { blocksOf } from '../../src/cutting/block-chunker.ts'
import { fenceAfterText } from '../../src/cutting/fences.ts'
import { type Coalesced, Coalescer, type CoalescerOptions } from '../../src/sending/coalescer.ts'
import type { ReplyPayload } from '../../src/sending/payloads.ts'
import { FakeClock } from '../fake-clock.ts'

function coalescing(options: CoalescerOptions = {}) {
  const clock = new FakeClock()
  const passed: Coalesced[] = []
  const limits = { minChars: 20, maxChars: 60, startTimer: clock.startTimer, ...options }
  const coalescer = new Coalescer(coalesced => passed.push(coalesced), limits)
  const enqueue = (...payloads: readonly ReplyPayload[]) => {
    for (const payload of payloads) coalescer.enqueue(payload)
  }
  return { clock, coalescer, enqueue, texts: () => passed.map(({ payload }) => payload.text), passed }
}

test('short texts wait for each other, one second after the last', async () => {
  const { clock, coalescer, enqueue, texts, passed } = coalescing()
  enqueue({ text: 'One.' })
  await clock.advance(999)
  enqueue({ text: 'Two.' })
  await clock.advance(999)
  expect(texts()).toEqual([])
  expect(coalescer.hasBuffered()).toBe(true)
  await clock.advance(1)
  expect(texts()).toEqual(['One.\n\nTwo.'])
  expect(passed[0]?.parts).toEqual([{ text: 'One.' }, { text: 'Two.' }])
  expect(coalescer.hasBuffered()).toBe(false)
})

test('a text that is long enough does not wait', () => {
  const { clock, enqueue, texts } = coalescing()
  enqueue({ text: 'One.' }, { text: 'Two, which is long.' })
  expect(texts()).toEqual(['One.\n\nTwo, which is long.'])
  expect(clock.timerCount).toBe(0)
})

test('no text gets longer than the maximum by joining', () => {
  const { enqueue, texts, coalescer } = coalescing()
  enqueue({ text: 'One.' }, { text: 'x'.repeat(55) }, { text: 'Two.' })
  expect(texts()).toEqual(['One.', 'x'.repeat(55)])
  coalescer.flush()
  expect(texts()).toEqual(['One.', 'x'.repeat(55), 'Two.'])
})

test('media and notices go alone, after the text before them', () => {
  const { enqueue, passed } = coalescing()
  const picture = { text: 'A picture', media: ['a.png'] }
  const notice = { text: 'Searching', isStatus: true }
  enqueue({ text: 'One.' }, picture, { text: 'Two.' }, notice)
  expect(passed.map(({ payload }) => payload)).toEqual([{ text: 'One.' }, picture, { text: 'Two.' }, notice])
})

test('texts that answer different messages are not joined', () => {
  const { enqueue, coalescer, texts } = coalescing()
  enqueue({ text: 'One.', replyTo: 'a' }, { text: 'Two.', replyTo: 'b' })
  coalescer.flush()
  expect(texts()).toEqual(['One.', 'Two.'])
})

test('blocks of one message are joined by what stood between them, and cut fences are whole again', () => {
  const answer = 'Some text that is here.\nAnd more. 又一句。\n```js\na()\n\nb()\n```'
  const { enqueue, coalescer, texts } = coalescing({ minChars: 1000, maxChars: 1000 })
  const blocks = blocksOf(answer.repeat(3), { minChars: 1, maxChars: 40, preference: 'sentence' })
  enqueue(...blocks.map(block => ({ ...block, messageIndex: 0 })))
  coalescer.flush()
  expect(texts()).toEqual([answer.repeat(3)])
})

test('blocks of two messages are joined by the joiner', () => {
  const { enqueue, coalescer, texts } = coalescing({ joiner: '\n' })
  enqueue({ text: 'One.', before: '', messageIndex: 0 }, { text: 'Two.', before: '', messageIndex: 1 })
  coalescer.flush()
  expect(texts()).toEqual(['One.\nTwo.'])
})

test('a fence that was opened again with fewer markers is closed with as many as it has in the joined text', () => {
  const markers = '`'.repeat(45)
  const { enqueue, coalescer, texts } = coalescing({ minChars: 1000, maxChars: 1000 })
  const blocks = blocksOf(`${markers}\n${'code '.repeat(40)}`, { minChars: 1, maxChars: 60 })
  enqueue(...blocks.map(block => ({ ...block, messageIndex: 0 })))
  coalescer.flush()
  expect(texts()).toHaveLength(1)
  expect(fenceAfterText(undefined, texts()[0] ?? '')).toBeUndefined()
})
