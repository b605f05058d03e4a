/** How many characters are shown before and after what was found. */
const before = 30
const after = 90

/** Returns a line of a text around the first place where it contains another text, in either case. */
export function excerptAround(text: string, found: string): string {
  const at = Math.max(0, text.toLowerCase().indexOf(found.toLowerCase()))
  const start = Math.max(0, at - before)
  const end = at + found.length + after
  // `toWellFormed`: the cut may be inside a character that consists of two code units.
  const line = text.slice(start, end).toWellFormed().replaceAll('\ufffd', '').replace(/\s+/g, ' ').trim()
  return `${start > 0 ? '…' : ''}${line}${end < text.length ? '…' : ''}`
}
