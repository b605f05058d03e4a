/**
 * What a full text adds to the text seen so far, when providers repeat themselves: its new end if it
 * continues what was seen, nothing if it was seen already, and all of it if it is new.
 */
export function newTextIn(full: string, seen: string): string {
  if (full.startsWith(seen)) return full.slice(seen.length)
  return seen.includes(full) ? '' : full
}
