import { shorten } from '@throughline/protocol/internal'

// A Chinese, Japanese or Korean character counts as a word, because these scripts have no spaces between words.
const wordOrSpace =
  /\s*(?:[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]|[^\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+)|\s+$/gu

/** Cuts a text into words, each with the space before it. Joined, they are the text again. */
export function splitWords(text: string): readonly string[] {
  return text.match(wordOrSpace) ?? []
}

/** Counts words. The demo model reports this number as tokens. */
export function countWords(text: string): number {
  return splitWords(text).filter(word => word.trim() !== '').length
}

/** Returns the beginning of a text on one line, for a sentence that repeats it. */
export function quoteStart(text: string, maxChars: number): string {
  return shorten(text.replace(/\s+/g, ' ').trim(), maxChars)
}
