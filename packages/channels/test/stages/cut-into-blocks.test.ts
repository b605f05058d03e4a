import fc from 'fast-check'
import { expect, test } from 'vitest'
import { blocksOf } from '../../src/cutting/block-chunker.ts'
import { joinBlocks } from '../../src/cutting/blocks.ts'
import type { BlockPart, ReplyPart } from '../../src/reading/reply-part.ts'
import { type CuttingOptions, cutIntoBlocks, withoutBlocks } from '../../src/stages/cut-into-blocks.ts'
import { chunking, pieceLengths, piecesOf, plainAnswer } from '../cutting/answer-arbitrary.ts'

const limits = { minChars: 20, maxChars: 60, preference: 'sentence' } as const
const start: ReplyPart = { type: 'start', runId: 'run', userMessageId: undefined, said: '' }
const pause: ReplyPart = { type: 'pause' }
const approval = { id: 'a', toolName: 'remove', input: '{}', isInputCut: false }

function text(piece: string): ReplyPart {
  return { type: 'text', text: piece }
}

function tool(said: string): ReplyPart {
  return { type: 'tool', toolCallId: '1', name: 'clock', input: {}, said }
}

function asked(said: string, isTextOpen: boolean): ReplyPart {
  return { type: 'approval', approval, isTextOpen, said }
}

async function* given(parts: readonly ReplyPart[]): AsyncGenerator<ReplyPart, void, undefined> {
  yield* parts
}

async function cut(
  parts: readonly ReplyPart[],
  options: Partial<CuttingOptions> = {},
): Promise<readonly BlockPart[]> {
  const cuts: BlockPart[] = []
  for await (const each of cutIntoBlocks(given(parts), { limits, reach: () => 0, ...options }))
    cuts.push(each)
  return cuts
}

/** Blocks as their text, other parts as their type. */
function told(parts: readonly BlockPart[]): readonly string[] {
  return parts.map(part => {
    if (part.type === 'partial') return `${part.block.text}…`
    return part.type === 'block' ? part.block.text : `(${part.type})`
  })
}

test('a block goes out when it is complete, the rest when a mark comes', async () => {
  const said = 'The first sentence of it. The second'
  const parts = await cut([
    start,
    text('The first sentence'),
    pause,
    text(' of it. The second'),
    pause,
    tool(said),
  ])
  expect(told(parts)).toEqual(['(start)', 'The first sentence of it.', 'The second', '(tool)'])
})

test('cutting begins behind what the outbox has', async () => {
  const said = 'One. Two.'
  const parts = await cut([start, text(said), tool(said)], { reach: () => 'One.'.length })
  expect(parts.slice(1)).toMatchObject([{ block: { before: ' ', text: 'Two.' } }, { type: 'tool' }])
})

test('a mark in the middle of a text cuts nothing there, and tells how far the blocks go', async () => {
  const said = 'The first sentence of it. The sec'
  const parts = await cut([start, text(said), asked(said, true)])
  expect(told(parts)).toEqual(['(start)', 'The first sentence of it.', '(approval)'])
  expect(parts.at(-1)).toMatchObject({ cutAt: 'The first sentence of it.'.length })
  expect((await cut([start, text(said), asked(said, false)])).at(-1)).toMatchObject({ cutAt: said.length })
})

test('after an approval the text goes on where the outbox ends by then', async () => {
  let reach = 0
  const said = 'One. Two. Three'
  const parts: BlockPart[] = []
  const source = given([start, text(said), asked(said, true), text(' four.'), tool(`${said} four.`)])
  for await (const part of cutIntoBlocks(source, { limits, reach: () => reach })) {
    parts.push(part)
    // More was saved than the stage has given out.
    if (part.type === 'approval') reach = 'One. Two.'.length
  }
  expect(told(parts)).toEqual(['(start)', '(approval)', 'Three four.', '(tool)'])
})

test('the block that is not complete is given out at every pause, when messages grow', async () => {
  const said = 'The first sentence of it. The second'
  const parts = await cut([start, text('The first'), pause, text(said.slice(9)), pause, tool(said)], {
    isGrowing: true,
  })
  expect(told(parts)).toEqual([
    '(start)',
    'The first…',
    'The first sentence of it.',
    'The second…',
    'The second',
    '(tool)',
  ])
})

test('a message that grows goes on growing after an approval in the middle of its text', async () => {
  const parts = await cut([start, text('The fi'), asked('The fi', true), text('rst.'), tool('The first.')], {
    isGrowing: true,
    reach: () => 0,
  })
  expect(told(parts)).toEqual(['(start)', 'The fi…', '(approval)', 'The first.', '(tool)'])
})

test('what is not complete when the source ends is not given out', async () => {
  expect(told(await cut([start, text('One.'), pause]))).toEqual(['(start)'])
})

test('R57, R79: without a chunker only the marks are passed on, with all of the text before them', async () => {
  const parts: BlockPart[] = []
  const source = given([
    start,
    text('One. '),
    pause,
    asked('One. ', true),
    tool('One. '),
    asked('One. ', false),
  ])
  for await (const part of withoutBlocks(source)) parts.push(part)
  expect(parts).toMatchObject([
    { type: 'start' },
    { type: 'approval', cutAt: 0 },
    { type: 'tool', said: 'One. ' },
    { type: 'approval', cutAt: 5 },
  ])
})

test('however the text comes, the blocks are those of the whole text', async () => {
  await fc.assert(
    fc.asyncProperty(plainAnswer, chunking, pieceLengths, async (said, wanted, lengths) => {
      const pieces = piecesOf(said, lengths).flatMap(piece => [text(piece), pause])
      const parts = await cut([start, ...pieces, tool(said)], { limits: wanted })
      const blocks = parts.flatMap(part => (part.type === 'block' ? [part.block] : []))
      expect(blocks).toEqual(blocksOf(said, wanted))
      expect(said.startsWith(joinBlocks(blocks))).toBe(true)
    }),
    { numRuns: 500 },
  )
})
