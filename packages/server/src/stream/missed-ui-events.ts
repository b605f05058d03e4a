import type { Entry } from '@throughline/protocol'

type Pages = AsyncIterable<readonly Entry[]>

interface MissedOptions {
  /** The last entry that was in the log when the viewer came. */
  readonly joinedAt: number
  /** What replaces a UI event; by default nothing. */
  readonly instead?: (entry: Entry) => readonly Entry[]
}

/**
 * Leaves out the UI events that were in the log before the viewer came. They were meant for the viewers of that time.
 *
 * A page is split where an event is left out. It must not be joined again: encoded pages are memoised by their first and
 * last entry, so a page with a gap would get the bytes of the page without it.
 */
export async function* withoutMissedUiEvents(
  pages: Pages,
  { joinedAt, instead = () => [] }: MissedOptions,
): AsyncGenerator<readonly Entry[], void, undefined> {
  for await (const page of pages) {
    let start = 0
    for (const [index, entry] of page.entries()) {
      if (entry.seq > joinedAt) break
      if (entry.chunk.type !== 'data-ui-event') continue
      if (index > start) yield page.slice(start, index)
      yield instead(entry)
      start = index + 1
    }
    yield start === 0 ? page : page.slice(start)
  }
}

/** A chunk that says nothing, in place of the UI event. Readers who count chunks still count it. */
export function missedUiEvent(entry: Entry): readonly Entry[] {
  return [{ ...entry, chunk: { type: 'data-missed', transient: true, data: null } }]
}

/** The UI event without its content. Readers who count entries still find its number. */
export function blankUiEvent(entry: Entry): readonly Entry[] {
  return [{ ...entry, chunk: { type: 'data-ui-event', transient: true, data: undefined } }]
}
