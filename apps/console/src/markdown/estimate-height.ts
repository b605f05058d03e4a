import { heightOfLine } from '../off-screen/off-screen-size.ts'
import type { Block } from './block.ts'

/** The space between two blocks: 0.75em. */
const gapPx = 12

/**
 * Returns about how high blocks are, in pixels. The lines of the source are a good measure, whatever they are: those of a
 * fence, for example, are as high as the frame around the code.
 */
export function estimateHeight(blocks: readonly Block[]): number {
  return blocks.reduce((sum, block) => sum + gapPx + heightOf(block), 0)
}

/** Only the first piece is read, so a growing block costs the same however long it is. The others are much like it. */
function heightOf({ pieces }: Block): number {
  const [first = ''] = pieces
  const height = first.split('\n').reduce((sum, line) => sum + heightOfLine(line.length), 0)
  // The pieces are of about the same length.
  return height * pieces.length
}
