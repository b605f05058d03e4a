import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BlockChunker, blocksOf } from '../../src/cutting/block-chunker.ts'
import type { BlockChunkerOptions } from '../../src/cutting/blocks.ts'
import { type Block, joinBlocks, ownText } from '../../src/cutting/blocks.ts'
import { type Fence, fenceAfterLine, fenceAfterText } from '../../src/cutting/fences.ts'
import { chunking, pieceLengths, piecesOf, plainAnswer, trickyAnswer } from './answer-arbitrary.ts'

const timeoutMs = 300_000

const runCount = Number(process.env['BLOCK_RUNS'] ?? 1_000)

for (const preference of ['paragraph', 'newline', 'sentence'] as const) {
  test(
    `blocks cut by ${preference} join to the answer, fit, close their fences, and are the same however it came`,
    () => {
      fc.assert(
        fc.property(trickyAnswer, pieceLengths, chunking, (text, lengths, limits) => {
          const options = { ...limits, preference }
          const { blocks, rest } = chunked(piecesOf(text, lengths), options)
          expectBlocks(blocks, options)
          expect(joinBlocks(blocks) + rest).toBe(text)
          expect(blocks).toEqual(blocksOf(text, options))
        }),
        { numRuns: runCount },
      )
    },
    timeoutMs,
  )
}

test(
  'at any time, the blocks and the buffered text are all there was, also when blocks were forced',
  () => {
    fc.assert(
      fc.property(trickyAnswer, pieceLengths, chunking, (text, lengths, options) => {
        const blocks: Block[] = []
        const chunker = new BlockChunker(options)
        let appended = ''
        for (const [turn, piece] of piecesOf(text, lengths).entries()) {
          appended += piece
          chunker.append(piece)
          chunker.drain({ force: turn % 3 === 2, emit: block => blocks.push(block) })
          if (joinBlocks(blocks) + chunker.bufferedText !== appended)
            expect(blocks).toBe(`to join to ${appended}`)
        }
        expectBlocks(blocks, options)
      }),
      { numRuns: runCount / 2 },
    )
  },
  timeoutMs,
)

test(
  'a chunker that goes on after some blocks gives out the others',
  () => {
    fc.assert(
      fc.property(plainAnswer, chunking, fc.nat(), (text, options, count) => {
        const blocks = blocksOf(text, options)
        const given = count % (blocks.length + 1)
        const before = joinBlocks(blocks.slice(0, given))
        const chunker = new BlockChunker(options)
        chunker.append('Something else. ```')
        chunker.goOnAfter(before)
        const others: Block[] = []
        chunker.append(text.slice(before.length))
        chunker.drain({ force: true, emit: block => others.push(block) })
        expect(others).toEqual(blocks.slice(given))
      }),
      { numRuns: runCount / 2 },
    )
  },
  timeoutMs,
)

test(
  'code stays code and text stays text',
  () => {
    fc.assert(
      fc.property(plainAnswer, chunking, (text, options) => {
        const marks = codeMarks(text)
        let start = 0
        for (const block of blocksOf(text, options)) {
          const { length } = ownText(block)
          start += block.before.length
          const { reopening } = block
          const shown = codeMarks(block.text).slice(reopening.length, reopening.length + length)
          expect(shown).toBe(marks.slice(start, start + length))
          start += length
        }
      }),
      { numRuns: runCount / 2 },
    )
  },
  timeoutMs,
)

test(
  'no character is cut in two',
  () => {
    const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
    fc.assert(
      fc.property(trickyAnswer, chunking, (text, options) => {
        const starts = new Set([...segmenter.segment(text)].map(({ index }) => index))
        let end = 0
        for (const block of blocksOf(text, options)) {
          if (!starts.has(end)) expect(text.slice(end - 10, end + 10)).toBe('not cut')
          end += block.before.length + ownText(block).length
        }
      }),
      { numRuns: runCount / 2 },
    )
  },
  timeoutMs,
)

function expectBlocks(blocks: readonly Block[], { maxChars }: BlockChunkerOptions): void {
  const isGood = ({ text }: Block) =>
    text.length <= maxChars && text.trim() !== '' && fenceAfterText(undefined, text) === undefined
  expect(blocks.filter(block => !isGood(block))).toEqual([])
}

function chunked(pieces: readonly string[], options: BlockChunkerOptions) {
  const blocks: Block[] = []
  const chunker = new BlockChunker(options)
  for (const piece of pieces) {
    chunker.append(piece)
    chunker.drain({ emit: block => blocks.push(block) })
  }
  chunker.drain({ force: true, emit: block => blocks.push(block) })
  return { blocks, rest: chunker.bufferedText }
}

/** A `c` for every character of code, a `.` for every other. */
function codeMarks(text: string): string {
  let fence: Fence | undefined
  let marks = ''
  for (const line of text.split('\n')) {
    const after = fenceAfterLine(fence, line)
    const isCode = fence !== undefined || after !== undefined
    marks += (isCode ? 'c' : '.').repeat(line.length + 1)
    fence = after
  }
  return marks.slice(0, text.length)
}
