import type { Block } from './block.ts'
import { blockTokens, lineStarts } from './block-tokens.ts'

/** A piece that has become longer than this is cut where that can be done. */
const maxPieceChars = 8 * 1024

interface Cut extends Pick<Block, 'kind' | 'opening'> {
  readonly at: number
}

/** Cuts the last piece of a block in two when it is long, so that only what follows has to be drawn again. */
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

/** Where a block can go on as if it began there. What is nested too deeply for that stays in one piece. */
function findCut(source: string): Cut | undefined {
  const tokens = blockTokens(source)
  const lines = lineStarts(source)
  // The line that is being written may still become something else, and so may a fence that would end just before it.
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
    case 'fence':
      return { kind: 'code', opening: source.slice(0, lines[1]), at: lines[lastLine] ?? 0 }
    case 'paragraph_open':
      return { kind: 'text', opening: '', at: wordStart(source) }
    default:
      return undefined
  }
}

// From the place where a cut is not seen to the one where it has to be. A letter cannot be taken for a mark.
const wordStarts = [/\n(?=\p{L})/gu, /[.!?。！？…]\s*(?=\p{L})/gu, / (?=\p{L})/gu, /.(?=\p{L})/gu]

/** The last line that begins with a letter, else the last sentence, else the last word, else the last letter. */
function wordStart(source: string): number {
  const from = Math.floor(source.length / 2)
  const half = source.slice(from)
  for (const wanted of wordStarts) {
    const found = [...half.matchAll(wanted)].at(-1)
    if (found !== undefined) return from + found.index + found[0].length
  }
  return 0
}
