import { graphemeFloor } from './graphemes.ts'

/** A text that is too long, with its end left out. */
export function shorten(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${text.slice(0, graphemeFloor(text, maxChars - 1))}…`
}
