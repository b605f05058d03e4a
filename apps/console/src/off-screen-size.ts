import type { CSSProperties } from 'react'

const lineHeightPx = 24
const charsPerLine = 90
const framePx = 90

/** How high a text may be that was never on the screen; once it was, the browser remembers how high it is. */
export function offScreenSize(charCount: number): CSSProperties {
  const lineCount = Math.ceil(charCount / charsPerLine)
  return { containIntrinsicBlockSize: `auto ${framePx + lineCount * lineHeightPx}px` }
}
