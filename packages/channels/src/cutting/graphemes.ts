const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/**
 * The last place at or before `index` that is not inside a character as a reader sees it: a surrogate pair, an
 * emoji of several parts, a letter with its accents. Only the text near `index` is looked at, and nothing after
 * the next two units. In a single character longer than all that precedes `index`, only surrogate pairs are kept.
 */
export function graphemeFloor(text: string, index: number): number {
  if (index >= text.length) return text.length
  const start = plainCharacterBefore(text, index)
  const found = segmenter.segment(text.slice(start, index + 2)).containing(index - start)
  const floor = start + (found?.index ?? 0)
  return floor > 0 ? floor : codePointFloor(text, index)
}

// Characters join only with what stands before them, and nothing joins with a letter of ASCII behind it, so it
// is enough to begin there. Counting flags, which come in pairs of letters, needs the whole row of them.
function plainCharacterBefore(text: string, index: number): number {
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
