import fc from 'fast-check'
import { expect, test } from 'vitest'
import { blocksOf } from '../../src/cutting/block-chunker.ts'
import { joinBlocks } from '../../src/cutting/blocks.ts'
import { reachOf } from '../../src/sending/post.ts'
import { chunking, trickyAnswer } from '../cutting/answer-arbitrary.ts'

test('blocks reach as far as what they join to; media and notices are no part of the text', () => {
  fc.assert(
    fc.property(trickyAnswer, chunking, (text, limits) => {
      const blocks = blocksOf(text, limits)
      const others = [{ media: ['/a'] }, { text: 'Calling a tool', isStatus: true }]
      expect(reachOf([...others, ...blocks, ...others])).toBe(joinBlocks(blocks).length)
    }),
    { numRuns: 1_000 },
  )
})

test('nothing reaches nowhere', () => {
  expect(reachOf([])).toBe(0)
})
