import type { CSSProperties } from 'react'

const lineHeightPx = 24
const charsPerLine = 90
const framePx = 90

/** Returns the estimated size of a text. It is used until the text was on the screen; then the browser knows it. */
export function offScreenSize(charCount: number): CSSProperties {
  return { containIntrinsicBlockSize: `auto ${offScreenHeight(charCount)}px` }
}

/** Returns the estimated height of a text with what is around it, in pixels. */
export function offScreenHeight(charCount: number): number {
  return framePx + Math.ceil(charCount / charsPerLine) * lineHeightPx
}
