import type { CSSProperties } from 'react'

const lineHeightPx = 24
const charsPerLine = 90
const framePx = 90

/** Returns the estimated height of a text. It is used until the text was on the screen; then the browser knows it. */
export function offScreenSize(charCount: number): CSSProperties {
  const lineCount = Math.ceil(charCount / charsPerLine)
  return { containIntrinsicBlockSize: `auto ${framePx + lineCount * lineHeightPx}px` }
}
