import type { CSSProperties } from 'react'

const lineHeightPx = 24
const charsPerLine = 90
const framePx = 90

/** Returns the estimated size of a text with so many characters, and of what is around it. */
export function offScreenSize(charCount: number): CSSProperties {
  return sizeUntilDrawn(offScreenHeight(charCount))
}

/** Returns the estimated height of a text with what is around it, in pixels. */
export function offScreenHeight(charCount: number): number {
  return framePx + heightOfLine(charCount)
}

/** Returns the height of a line with so many characters, in pixels. The browser breaks a long one into several. */
export function heightOfLine(charCount: number): number {
  return Math.ceil(charCount / charsPerLine) * lineHeightPx
}

/** Returns the style for a height that is used until the element was on the screen; then the browser knows its own. */
export function sizeUntilDrawn(heightPx: number): CSSProperties {
  return { containIntrinsicBlockSize: `auto ${heightPx}px` }
}
