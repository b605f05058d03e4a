import type { Chunk } from '@throughline/protocol'
import type { Projection } from '../projection.ts'

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
