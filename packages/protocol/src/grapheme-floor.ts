const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/**
 * Returns the last position at or before `index` where a text can be cut without cutting a grapheme: a character as a
 * reader sees it, such as a surrogate pair, an emoji of several parts or a letter with its accents.
 *
 * Looks only at the text near `index`, and at no more than two UTF-16 units after it, so the cost does not depend on
 * the length of the text. When the text up to `index` is one single grapheme, returns a position inside of it, but
 * never one between the two halves of a surrogate pair.
 */
export function graphemeFloor(text: string, index: number): number {
  if (index >= text.length) return text.length
  const start = asciiBefore(text, index)
  const found = segmenter.segment(text.slice(start, index + 2)).containing(index - start)
  const floor = start + (found?.index ?? 0)
  return floor > 0 ? floor : codePointFloor(text, index)
}

// A character joins only with what stands before it, and an ASCII character never joins with what stands before it.
// So segmenting may start at the nearest ASCII character. It may not start later: flags are pairs of letters, and
// only from the start of a row of flags can one tell which two letters belong together.
function asciiBefore(text: string, index: number): number {
  let start = Math.max(0, index - 1)
  while (start > 0 && !isAscii(text.charCodeAt(start))) start -= 1
  return start
}

function isAscii(unit: number): boolean {
  return unit < 0x7f
}

function codePointFloor(text: string, index: number): number {
  const isInsidePair = (text.codePointAt(index - 1) ?? 0) > 0xffff
  return isInsidePair ? index - 1 : index
}
