import type { Block } from './block.ts'
import { blockTokens, lineStarts } from './block-tokens.ts'
import { cutBlock } from './cut-block.ts'

/** A text that was cut into blocks. Text that is added later changes only the last piece of the last block. */
export interface Blocks {
  readonly text: string
  readonly finished: readonly Block[]
  readonly last: Block
  /**
   * Text at the end that looks like the start of another block; empty when there is none. It may turn out to be part of
   * the block before: `#` is a heading, but `#3` continues the paragraph.
   */
  readonly next: string
  /** The level of the first heading among the finished blocks; 0 when there is none. */
  readonly topHeading: number
}

export const noBlocks: Blocks = { text: '', finished: [], last: whole(''), next: '', topHeading: 0 }

/**
 * Cuts a growing text into blocks. Only the text after the finished pieces is parsed again. So an update costs as much
 * as the new text, however long the text and its last block are.
 */
export function splitBlocks(text: string, before: Blocks): Blocks {
  if (text === before.text) return before
  const known = text.startsWith(before.text) ? before : noBlocks
  const { pieces } = known.last
  const tailLength = (pieces.at(-1)?.length ?? 0) + known.next.length
  const opening = pieces.length > 1 ? known.last.opening : ''
  const source = opening + text.slice(known.text.length - tailLength)
  const { starts, nextAt } = startsOf(source)
  const [first = '', ...others] = splitAt(source.slice(0, nextAt), starts)
  const continued: Block = {
    ...known.last,
    pieces: [...pieces.slice(0, -1), first.slice(opening.length)],
  }
  const blocks = [continued, ...others.map(whole)]
  const last = blocks.pop() ?? continued
  return {
    text,
    finished: blocks.length === 0 ? known.finished : [...known.finished, ...blocks],
    last: cutBlock(last),
    next: source.slice(nextAt),
    topHeading: known.topHeading || firstHeading(blocks),
  }
}

/** Returns all blocks to draw, including `next`. */
export function blocksIn({ finished, last, next }: Blocks): readonly Block[] {
  return next === '' ? [...finished, last] : [...finished, last, whole(next)]
}

/**
 * Returns where blocks begin, without the first one; and in `nextAt` the start of a block that may turn out to be none.
 */
function startsOf(source: string): { readonly starts: readonly number[]; readonly nextAt: number } {
  const lines = lineStarts(source)
  const begun = blockTokens(source).filter(({ level, nesting, map }) => level === 0 && nesting >= 0 && map)
  const starts: number[] = []
  for (const { type, map } of begun.slice(1)) {
    const line = map?.[0] ?? 0
    const start = lines[line] ?? 0
    // Only the second line of a table makes it a table.
    const decidedBy = type === 'table_open' ? line + 1 : line
    if (decidedBy >= lines.length - 1) return { starts, nextAt: start }
    if (start > (starts.at(-1) ?? 0)) starts.push(start)
  }
  return { starts, nextAt: source.length }
}

function firstHeading(blocks: readonly Block[]): number {
  for (const { pieces } of blocks) {
    const [, marks] = /^ {0,3}(#{1,6})\s/.exec(pieces[0] ?? '') ?? []
    if (marks !== undefined) return marks.length
  }
  return 0
}

function splitAt(source: string, offsets: readonly number[]): readonly string[] {
  const ends = [...offsets, source.length]
  return ends.map((end, index) => source.slice(ends[index - 1] ?? 0, end))
}

function whole(source: string): Block {
  return { kind: 'whole', opening: '', pieces: [source] }
}
