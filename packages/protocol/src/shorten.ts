import { graphemeFloor } from './grapheme-floor.ts'

/**
 * Returns a text of at most `maxChars` UTF-16 units: the text itself, or its beginning with an ellipsis. The ellipsis
 * counts. No grapheme (a character as a reader sees it) is cut in two.
 */
export function shorten(text: string, maxChars: number, ellipsis = '…'): string {
  if (text.length <= maxChars) return text
  return text.slice(0, graphemeFloor(text, Math.max(0, maxChars - ellipsis.length))) + ellipsis
}
