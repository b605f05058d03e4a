import MarkdownIt, { type Token } from 'markdown-it'
import { extendMarkdown } from './extend-markdown.ts'

/** A block at the top level of a text, such as a paragraph, a list or a table. */
export interface MarkdownBlock {
  /** `whole`: one piece. The others: the kind of a long block, which was cut into pieces. */
  readonly kind: 'whole' | 'list' | 'table' | 'code' | 'text'
  /**
   * The text to put before each piece but the first, so that it parses as the same kind: the head of a table, for
   * example.
   */
  readonly opening: string
  readonly pieces: readonly string[]
}

/** A text that was cut into blocks. Text that is added later changes only the last piece of the last block. */
export interface Blocks {
  readonly text: string
  readonly finished: readonly MarkdownBlock[]
  readonly last: MarkdownBlock
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
  const continued: MarkdownBlock = {
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
export function blocksIn({ finished, last, next }: Blocks): readonly MarkdownBlock[] {
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

function firstHeading(blocks: readonly MarkdownBlock[]): number {
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

function whole(source: string): MarkdownBlock {
  return { kind: 'whole', opening: '', pieces: [source] }
}

/** A piece that is longer than this is cut in two, if there is a position where that is possible. */
const maxPieceChars = 8 * 1024

interface Cut extends Pick<MarkdownBlock, 'kind' | 'opening'> {
  readonly at: number
}

/** Cuts the last piece of a block in two when it is long. Then only its second half has to be drawn again. */
function cutBlock(block: MarkdownBlock): MarkdownBlock {
  const last = block.pieces.at(-1) ?? ''
  if (last.length <= maxPieceChars) return block
  const opening = block.pieces.length > 1 ? block.opening : ''
  const cut = findCut(opening + last)
  if (cut === undefined) return block
  const at = cut.at - opening.length
  if (at <= 0) return block
  const { kind } = cut
  return {
    kind,
    opening: cut.opening,
    pieces: [...block.pieces.slice(0, -1), last.slice(0, at), last.slice(at)],
  }
}

/** Returns a position where the rest of a block can be drawn by itself; `undefined` when there is none. */
function findCut(source: string): Cut | undefined {
  const tokens = blockTokens(source)
  const lines = lineStarts(source)
  // The last line is still being written and may turn into something else.
  const lastLine = lines.length - 2
  const lastOf = (type: string, level: number) => {
    const found = tokens.findLast(
      token => token.type === type && token.level === level && (token.map?.[0] ?? 0) <= lastLine,
    )
    return lines[found?.map?.[0] ?? 0] ?? 0
  }
  switch (tokens[0]?.type) {
    case 'bullet_list_open':
    case 'ordered_list_open':
      return { kind: 'list', opening: '', at: lastOf('list_item_open', 1) }
    case 'table_open':
      return { kind: 'table', opening: source.slice(0, lines[2]), at: lastOf('tr_open', 2) }
    case 'fence': {
      // What comes after the last line of code, such as the closing fence, is not code by itself.
      const lastOfCode = (tokens[0].map?.[1] ?? lines.length) - 2
      return {
        kind: 'code',
        opening: source.slice(0, lines[1]),
        at: lines[Math.min(lastLine, lastOfCode)] ?? 0,
      }
    }
    case 'paragraph_open':
      return { kind: 'text', opening: '', at: wordStart(source) }
    default:
      return undefined
  }
}

// The positions to cut at, best first. A cut is always before a letter: a piece that begins with another character
// could be taken for Markdown syntax.
const wordStarts = [/\n(?=\p{L})/gu, /[.!?。！？…]\s*(?=\p{L})/gu, / (?=\p{L})/gu, /.(?=\p{L})/gu]

/** Returns the last start of a line, else of a sentence, else of a word, else the last letter. */
function wordStart(source: string): number {
  const from = Math.floor(source.length / 2)
  const half = source.slice(from)
  for (const wanted of wordStarts) {
    const found = [...half.matchAll(wanted)].at(-1)
    if (found !== undefined) return from + found.index + found[0].length
  }
  return 0
}

// This parser only finds where blocks begin. Their content is parsed when they are drawn.
const parser = extendMarkdown(new MarkdownIt({ html: false }))
parser.core.ruler.enableOnly(['normalize', 'block'])

/** Returns the block tokens of a text. Their `map` says on which lines they begin and end. */
function blockTokens(source: string): readonly Token[] {
  return parser.parse(source, {})
}

/** Returns the position at which each line begins, with lines as the parser counts them. */
function lineStarts(source: string): readonly number[] {
  return [0, ...Array.from(source.matchAll(/\r\n?|\n/g), ({ index, 0: end }) => index + end.length)]
}
