import { settle } from '@throughline/testing/faults/held-writes'
import { promiseState, unsettled } from '@throughline/testing/waits/promise-state'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { blocksOf } from '../../src/cutting/block-chunker.ts'
import { type Block, joinBlocks } from '../../src/cutting/blocks.ts'
import { fenceAfterText } from '../../src/cutting/fences.ts'
import type { BlockPart } from '../../src/reading/reply-part.ts'
import { type JoiningOptions, joinShort, mergeBlocks } from '../../src/stages/pace-blocks.ts'
import { chunking, plainAnswer } from '../cutting/answer-arbitrary.ts'
import { block, fileMark, PartSource, toolMark } from '../delivery/part-source.ts'
import { FakeClock } from '../fake-clock.ts'

function joining(options: Partial<JoiningOptions> = {}) {
  const clock = new FakeClock()
  const source = new PartSource()
  const passed: BlockPart[] = []
  const { startTimer } = clock
  const joined = joinShort(source, { minChars: 20, maxChars: 60, idleMs: 1_000, startTimer, ...options })
  const over = (async () => {
    for await (const part of joined) passed.push(part)
  })()
  const blocks = () => passed.flatMap(part => (part.type === 'block' ? [part.block] : []))
  return { clock, source, passed, over, joined, blocks, texts: () => blocks().map(({ text }) => text) }
}

test('short blocks wait for each other, one second after the last', async () => {
  const { clock, source, texts } = joining()
  source.push(block('One.'))
  await clock.advance(999)
  source.push(block('Two.', ' '))
  await clock.advance(999)
  expect(texts()).toEqual([])
  await clock.advance(1)
  expect(texts()).toEqual(['One. Two.'])
  expect(clock.timerCount).toBe(0)
})

test('a block that is long enough does not wait', async () => {
  const { clock, source, texts } = joining()
  source.push(block('One.'), block('Two, which is long.', ' '))
  await settle()
  expect(texts()).toEqual(['One. Two, which is long.'])
  expect(clock.timerCount).toBe(0)
})

test('no block gets longer than the maximum by joining', async () => {
  const { clock, source, texts } = joining()
  source.push(block('One.'), block('x'.repeat(56), ' '), block('Two.', ' '))
  await settle()
  expect(texts()).toEqual(['One.', 'x'.repeat(56)])
  await clock.advance(1_000)
  expect(texts()).toEqual(['One.', 'x'.repeat(56), 'Two.'])
})

test('a mark does not wait: the block before it goes out at once, then the mark', async () => {
  const { source, passed, clock } = joining()
  const parts = [block('One.'), fileMark('a.png'), toolMark('1'), block('Two.'), toolMark('2')]
  source.push(...parts)
  await settle()
  expect(passed).toEqual(parts)
  expect(clock.timerCount).toBe(0)
})

test('a block that waits when the source ends is dropped, and no timer is left', async () => {
  const { source, over, texts, clock } = joining()
  source.push(block('One.'))
  await settle()
  source.end()
  await over
  expect(texts()).toEqual([])
  expect(clock.timerCount).toBe(0)
})

test('a failure of the source that comes while nobody asks is told to whoever asks next', async () => {
  const clock = new FakeClock()
  async function* failing(): AsyncGenerator<BlockPart> {
    yield block('One.')
    await new Promise<void>(resolve => clock.startTimer(resolve, 1_500))
    throw new Error('The log cannot be read.')
  }
  const joined = joinShort(failing(), {
    minChars: 20,
    maxChars: 60,
    idleMs: 1_000,
    startTimer: clock.startTimer,
  })
  const first = joined.next()
  await clock.advance(1_000)
  expect(await first).toMatchObject({ value: { block: { text: 'One.' } } })
  await clock.advance(1_000)
  await expect(joined.next()).rejects.toThrow('The log cannot be read.')
})

test('whoever stops listening does not wait for a block that may never come', async () => {
  const clock = new FakeClock()
  const source = new PartSource()
  const options = { minChars: 20, maxChars: 60, idleMs: 1_000, startTimer: clock.startTimer }
  const joined = joinShort(source, options)
  source.push(block('One.'))
  const first = joined.next()
  await clock.advance(1_000)
  expect(await first).toMatchObject({ value: { block: { text: 'One.' } } })
  expect(await promiseState(joined.return())).not.toEqual(unsettled)
  expect(clock.timerCount).toBe(0)
})

test('blocks are joined by what stood between them, and cut fences are whole again', async () => {
  const answer = 'Some text that is here.\nAnd more. 又一句。\n```js\na()\n\nb()\n```'
  const { source, texts, clock } = joining({ minChars: 1000, maxChars: 1000 })
  for (const each of blocksOf(answer.repeat(3), { minChars: 1, maxChars: 40, preference: 'sentence' }))
    source.push({ type: 'block', block: each })
  await clock.advance(1_000)
  expect(texts()).toEqual([answer.repeat(3)])
})

test('a fence that was opened again with fewer markers is closed with as many as it has in the joined text', async () => {
  const markers = '`'.repeat(45)
  const { source, texts, clock } = joining({ minChars: 1000, maxChars: 1000 })
  for (const each of blocksOf(`${markers}\n${'code '.repeat(40)}`, { minChars: 1, maxChars: 60 }))
    source.push({ type: 'block', block: each })
  await clock.advance(1_000)
  expect(texts()).toHaveLength(1)
  expect(fenceAfterText(undefined, texts()[0] ?? '')).toBeUndefined()
})

test('whatever is joined, the blocks make up the same text, fit, and close their fences', async () => {
  await fc.assert(
    fc.asyncProperty(plainAnswer, chunking, fc.nat(1_000), async (text, limits, maxChars) => {
      const blocks: Block[] = blocksOf(text, limits)
      const most = Math.max(maxChars, limits.maxChars)
      const { source, over, blocks: joined } = joining({ minChars: most, maxChars: most })
      source.push(...blocks.map((each): BlockPart => ({ type: 'block', block: each })), toolMark('1'))
      source.end()
      await over
      expect(joinBlocks(joined())).toBe(joinBlocks(blocks))
      for (const { text: shown } of joined()) {
        expect(shown.length).toBeLessThanOrEqual(most)
        expect(fenceAfterText(undefined, shown)).toBeUndefined()
      }
    }),
    { numRuns: 300 },
  )
})

test('merged blocks are what one block would have been', () => {
  const [first, second, third] = blocksOf(`\`\`\`js\n${'line()\n'.repeat(16)}\`\`\``, {
    minChars: 20,
    maxChars: 60,
  })
  if (first === undefined || second === undefined || third === undefined) throw new Error('too few blocks')
  const merged = mergeBlocks(first, mergeBlocks(second, third))
  expect(merged.text).toBe(`\`\`\`js\n${'line()\n'.repeat(16)}\`\`\``)
  expect(mergeBlocks(first, second)).toMatchObject({ closing: '\n```', reopening: '' })
})
