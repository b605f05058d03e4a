import type { Chunk } from '@throughline/protocol/chunk'
import type { Run } from '@throughline/store/runs'
import { EncodedPages, type EncodePage } from '../encoded-pages.ts'
import { joinPieces } from '../pieces.ts'
import type { Projection } from '../projection.ts'
import { isOfRun } from '../run-entries.ts'
import { numberedEvents, type SeenEvents } from '../sse-events.ts'
import { type ApartSubAgents, chunkProjection } from './chunk-projection.ts'

/** Encodes the chunks of one run as SSE events for one viewer. */
export function encodeProjected(
  run: Pick<Run, 'id'>,
  projection: Projection<Chunk>,
  seen: SeenEvents,
): EncodePage {
  return entries => {
    const encoded: Uint8Array[] = []
    for (const entry of entries)
      if (isOfRun(entry, run)) encoded.push(...numberedEvents(entry.seq, projection.write(entry), seen))
    return joinPieces(encoded)
  }
}

const pages = { envelope: new EncodedPages(), hidden: new EncodedPages() }

/** Encodes the chunks of one run as stock clients read them. The bytes are shared by all viewers of the run. */
export function encodeChunks(
  epoch: string,
  run: Pick<Run, 'id' | 'answerId'>,
  subAgents: ApartSubAgents = 'envelope',
): EncodePage {
  const nothing = { after: { epoch, seq: 0 }, events: 0 }
  return pages[subAgents].once(encodeProjected(run, chunkProjection(run, subAgents), nothing), run)
}
