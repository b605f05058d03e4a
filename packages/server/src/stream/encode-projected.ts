import type { Run } from '@throughline/store'
import type { EncodePage } from './encoded-pages.ts'
import { piecesOf } from './pieces.ts'
import type { Projection } from './projection.ts'
import { isOfRun } from './run-entries.ts'
import { numberedEvents, type SeenEvents } from './sse-events.ts'

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
