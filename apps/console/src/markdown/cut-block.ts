import type { Block } from './block.ts'
import { blockTokens, lineStarts } from './block-tokens.ts'

/** A piece that is longer than this is cut in two, if there is a position where that is possible. */
const maxPieceChars = 8 * 1024

interface Cut extends Pick<Block, 'kind' | 'opening'> {
  readonly at: number
}

/** Cuts the last piece of a block in two when it is long. Then only its second half has to be drawn again. */
export function cutBlock(block: Block): Block {
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
