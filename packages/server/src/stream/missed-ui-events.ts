import type { Entry } from '@throughline/protocol/entry'

type Pages = AsyncIterable<readonly Entry[]>

interface MissedOptions {
  /** The last entry that was in the log when the viewer came. */
  readonly joinedAt: number
  /** What stands in the place of a UI event; by default nothing. */
  readonly instead?: (entry: Entry) => readonly Entry[]
}

/**
 * Pages of a log without the UI events that were in it before the viewer came: those were for whoever was there.
 * Everything else stays as it is. A page is cut where something is left out, never closed up, because encoded pages are
 * known by their first and last entry.
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

/** Keeps a UI event's place in the log, for readers who count, and not what it told. */
export function blankUiEvent(entry: Entry): readonly Entry[] {
  return [{ ...entry, chunk: { type: 'data-ui-event', transient: true, data: undefined } }]
}
