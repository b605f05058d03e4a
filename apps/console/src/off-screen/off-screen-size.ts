import type { CSSProperties } from 'react'

const lineHeightPx = 24
const charsPerLine = 90
const framePx = 90

/** Returns the estimated size of a text with this number of characters, and of what is around it. */
export function offScreenSize(charCount: number): CSSProperties {
  return sizeUntilDrawn(offScreenHeight(charCount))
}

/** Returns the estimated height of a text with what is around it, in pixels. */
export function offScreenHeight(charCount: number): number {
  return framePx + heightOfLine(charCount)
}

/** Returns the height of a line with this number of characters, in pixels. The browser breaks a long one into several. */
function heightOfLine(charCount: number): number {
  return Math.ceil(charCount / charsPerLine) * lineHeightPx
}

/** Returns the style for a height that is used until the element was on the screen; then the browser knows its own. */
export function sizeUntilDrawn(heightPx: number): CSSProperties {
  return { containIntrinsicBlockSize: `auto ${heightPx}px` }
}

/** A block of text, in the pieces into which a long one is cut. */
interface TextBlock {
  readonly pieces: readonly string[]
}

/** The space between two blocks: 0.75em. */
const gapPx = 12

/**
 * Returns about how high blocks are, in pixels. The lines of the source are a good measure, whatever they are: those of a
 * fence, for example, are as high as the frame around the code.
 */
export function estimateHeight(blocks: readonly TextBlock[]): number {
  return blocks.reduce((sum, block) => sum + gapPx + heightOf(block), 0)
}

/** Only the first piece is read, so a growing block costs the same however long it is. The others are much like it. */
function heightOf({ pieces }: TextBlock): number {
  const [first = ''] = pieces
  const height = first.split('\n').reduce((sum, line) => sum + heightOfLine(line.length), 0)
  // The pieces are of about the same length.
  return height * pieces.length
}
