import type { Run } from '@throughline/store'
import { encodeProjected } from '../encode-projected.ts'
import { EncodedPages, type EncodePage } from '../encoded-pages.ts'
import { type ApartSubAgents, chunkProjection } from './chunk-projection.ts'

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
