/**
 * Returns a text of at most `maxChars` UTF-16 units: the text itself, or its beginning with an ellipsis. The ellipsis
 * counts. No grapheme (a character as a reader sees it) is cut in two.
 */
export function shorten(text: string, maxChars: number, ellipsis = '…'): string {
  if (text.length <= maxChars) return text
  return text.slice(0, graphemeFloor(text, Math.max(0, maxChars - ellipsis.length))) + ellipsis
}

// Marked as pure, so that a bundle in which nothing is cut leaves it out.
const segmenter = /* @__PURE__ */ new Intl.Segmenter(undefined, { granularity: 'grapheme' })

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

/**
 * Returns the part of `full` that is not in `seen` yet. Some providers send a text again from its start. So a text that
 * continues what was seen adds only its end, a text that was seen already adds nothing, and any other text is new.
 */
export function newTextIn(full: string, seen: string): string {
  if (full.startsWith(seen)) return full.slice(seen.length)
  return seen.includes(full) ? '' : full
}

/**
 * Returns US dollars as text for a person; `undefined` when the cost is not known. A small cost is shown as
 * `<$0.0001`, so that it never looks like no cost.
 */
export function formatCost(dollars: number | null | undefined): string | undefined {
  if (dollars == null) return undefined
  if (dollars === 0) return '$0'
  return dollars < smallestCost ? `<$${smallestCost}` : `$${dollars.toFixed(4)}`
}

const smallestCost = 0.0001
