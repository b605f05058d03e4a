import type { Chunk } from '@throughline/protocol'
import type { Run } from '@throughline/store'
import { EncodedPages, type EncodePage } from '../bytes/encoded-pages.ts'
import { encodeProjected } from '../encode-projected.ts'
import type { Projection } from '../run-form.ts'
import { type ApartSubAgents, chunkProjection } from './chunk-projection.ts'

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

/**
 * Adds a field to the first chunk of an answer that says which parameter an older AI SDK needs. Nothing in a request says
 * which version sent it. The first versions of 5 and 6 refuse a field that they do not know, and show the whole chunk in
 * their error. So their developers read this with the first answer, instead of an error about another field with the first
 * tool. Newer versions ignore the field.
 */
export function withVersionNote(projection: Projection<Chunk>): Projection<Chunk> {
  return { write: entry => projection.write(entry).map(noted) }
}

const note =
  'AI SDK 5 and 6 cannot read this stream. Put ?sdk=5 or ?sdk=6 at the end of the api of your transport.'

function noted(chunk: Chunk): Chunk {
  if (chunk.type !== 'start') return chunk
  const withNote: Chunk & { readonly note: string } = { ...chunk, note }
  return withNote
}
