/**
 * Returns a text that takes at most this many columns of a terminal: the text itself, or its beginning with an ellipsis.
 */
export function fit(text: string, columns: number): string {
  let width = 0
  let end = 0
  for (const character of text) {
    width += widthOf(character)
    if (width > columns) return `${text.slice(0, end)}…`
    // Cut here if a later character does not fit. The ellipsis needs a column too.
    if (width < columns) end += character.length
  }
  return text
}

/** Returns a text with spaces at its end, so that it takes at least this many columns. */
export function pad(text: string, columns: number): string {
  const width = Array.from(text, widthOf).reduce((sum, each) => sum + each, 0)
  return text + ' '.repeat(Math.max(0, columns - width))
}

// Not exact, but good enough to align lines: East Asian characters and emoji take two columns, combining marks none.
const wide =
  /[\u{1100}-\u{115f}\u{2e80}-\u{a4cf}\u{ac00}-\u{d7a3}\u{f900}-\u{faff}\u{fe30}-\u{fe6f}\u{ff00}-\u{ff60}\u{ffe0}-\u{ffe6}\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u

function widthOf(character: string): number {
  if (/\p{Mn}/u.test(character)) return 0
  return wide.test(character) ? 2 : 1
}
