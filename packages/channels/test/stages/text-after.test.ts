import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BlockChunker, blocksOf } from '../../src/cutting/block-chunker.ts'
import { type Block, joinBlocks } from '../../src/cutting/blocks.ts'
import { TextAfter } from '../../src/stages/cut-into-blocks.ts'
import { chunking, pieceLengths, piecesOf, plainAnswer, trickyAnswer } from '../cutting/answer-arbitrary.ts'

test('a chunker that is fed what follows gives out the blocks that follow, however the text comes', () => {
  fc.assert(
    fc.property(plainAnswer, chunking, pieceLengths, fc.nat(), (text, limits, lengths, count) => {
      const blocks = blocksOf(text, limits)
      const given = count % (blocks.length + 1)
      const chunker = new BlockChunker(limits)
      const after = new TextAfter(chunker, joinBlocks(blocks.slice(0, given)).length)
      for (const piece of piecesOf(text, lengths)) after.append(piece)
      const others: Block[] = []
      chunker.drain({ force: true, emit: block => others.push(block) })
      expect(others).toEqual(blocks.slice(given))
    }),
    { numRuns: 5_000 },
  )
})

test('from any place on, the text goes on to the letter', () => {
  fc.assert(
    fc.property(trickyAnswer, chunking, pieceLengths, fc.nat(), (text, limits, lengths, place) => {
      const reach = place % (text.length + 1)
      const chunker = new BlockChunker(limits)
      const after = new TextAfter(chunker, reach)
      for (const piece of piecesOf(text, lengths)) after.append(piece)
      const blocks: Block[] = []
      chunker.drain({ force: true, emit: block => blocks.push(block) })
      expect(joinBlocks(blocks) + chunker.bufferedText).toBe(text.slice(reach))
    }),
    { numRuns: 5_000 },
  )
})

test('text that has not come as far as what was sent adds nothing', () => {
  const chunker = new BlockChunker({ minChars: 10, maxChars: 60 })
  const after = new TextAfter(chunker, 100)
  after.append('Only this much.')
  expect(chunker.bufferedText).toBe('')
})
