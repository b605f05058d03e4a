import type { Entry } from '@throughline/protocol'

/** Which UI events a viewer has missed, and what replaces them. */
export interface MissedOptions {
  /** The last entry that was in the log when the viewer came. */
  readonly joinedAt: number
  /** What replaces a UI event; by default nothing. */
  readonly instead?: ((entry: Entry) => readonly Entry[]) | undefined
}

/**
 * Leaves out the UI events that were in the log before the viewer came. They were meant for the viewers of that time.
 *
 * Returns the parts of the page: it is split where an event is left out. The parts must not be joined again. Encoded
 * pages are memoised by their first and last entry, so a page with a gap would get the bytes of the page without it.
 */
export function withoutMissedUiEvents(
  page: readonly Entry[],
  { joinedAt, instead = () => [] }: MissedOptions,
): readonly (readonly Entry[])[] {
  const parts: (readonly Entry[])[] = []
  let start = 0
  for (const [index, entry] of page.entries()) {
    if (entry.seq > joinedAt) break
    if (entry.chunk.type !== 'data-ui-event') continue
    if (index > start) parts.push(page.slice(start, index))
    parts.push(instead(entry))
    start = index + 1
  }
  parts.push(start === 0 ? page : page.slice(start))
  return parts
}

/** A chunk that says nothing, in place of the UI event. Readers who count chunks still count it. */
export function missedUiEvent(entry: Entry): readonly Entry[] {
  return [{ ...entry, chunk: { type: 'data-missed', transient: true, data: null } }]
}

/** The UI event without its content. Readers who count entries still find its number. */
export function blankUiEvent(entry: Entry): readonly Entry[] {
  return [{ ...entry, chunk: { type: 'data-ui-event', transient: true, data: undefined } }]
}
