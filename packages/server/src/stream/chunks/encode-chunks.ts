import type { Run } from '@throughline/store'
import { encodeProjected } from '../encode-projected.ts'
import { EncodedPages, type EncodePage } from '../encoded-pages.ts'
import { type ApartSubAgents, chunkProjection } from './chunk-projection.ts'
import { withVersionNote } from './version-note.ts'

const pages = { separate: new EncodedPages(), hidden: new EncodedPages() }
const notedPages = { separate: new EncodedPages(), hidden: new EncodedPages() }

/** What the bytes depend on besides the entries. */
export interface ChunkBytes {
  readonly subAgents: ApartSubAgents
  readonly hasVersionNote: boolean
}

/** Encodes the chunks of one run as stock clients read them. The bytes are shared by all viewers of the run. */
export function encodeChunks(
  epoch: string,
  run: Pick<Run, 'id' | 'answerId'>,
  { subAgents, hasVersionNote }: ChunkBytes,
): EncodePage {
  const nothing = { after: { epoch, seq: 0 }, events: 0 }
  const plain = chunkProjection(run, subAgents)
  const projection = hasVersionNote ? withVersionNote(plain) : plain
  const shared = (hasVersionNote ? notedPages : pages)[subAgents]
  return shared.once(encodeProjected(run, projection, nothing), run)
}
