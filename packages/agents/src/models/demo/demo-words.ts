import { shorten } from '@throughline/protocol/shorten'

// A Chinese, Japanese or Korean character stands for a word of its own: those scripts put no spaces between words.
const wordOrSpace =
  /\s*(?:[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]|[^\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+)|\s+$/gu

/** Cuts text into words, each with the space before it. Joined again they are the text. */
export function splitWords(text: string): readonly string[] {
  return text.match(wordOrSpace) ?? []
}

/** What the demo model reports as tokens: an honest count, though of words. */
export function countWords(text: string): number {
  return splitWords(text).filter(word => word.trim() !== '').length
}

/** Returns the beginning of a text on one line, for a sentence that repeats it. */
export function quoteStart(text: string, maxChars: number): string {
  return shorten(text.replace(/\s+/g, ' ').trim(), maxChars)
}
