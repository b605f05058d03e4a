import type { Run } from '@throughline/store'
import { type EncodePage, piecesOf } from './bytes/encoded-pages.ts'
import { numberedEvents, type SeenEvents } from './bytes/sse-events.ts'
import type { Projection } from './run-form.ts'
import { isOfRun } from './run-pages.ts'

/** Encodes what a projection makes of one run as numbered SSE events, without those that the viewer has seen. */
export function encodeProjected(
  run: Pick<Run, 'id'>,
  projection: Projection<unknown>,
  seen: SeenEvents,
): EncodePage {
  return entries => {
    const events: string[] = []
    for (const entry of entries)
      if (isOfRun(entry, run)) events.push(...numberedEvents(entry.seq, projection.write(entry), seen))
    return piecesOf(events)
  }
}
