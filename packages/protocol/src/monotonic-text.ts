/**
 * Returns the part of `full` that is not in `seen` yet. Some providers send a text again from its start. So a text that
 * continues what was seen adds only its end, a text that was seen already adds nothing, and any other text is new.
 */
export function newTextIn(full: string, seen: string): string {
  if (full.startsWith(seen)) return full.slice(seen.length)
  return seen.includes(full) ? '' : full
}
