import { streamBytes } from './stream-bytes.ts'

/** Bytes for a viewer. Each piece is one write, and small enough to be held for a viewer who reads slowly. */
export type Pieces = readonly Uint8Array[]

const maxPieceChars = 64 * 1024

/** Encodes many short texts as few pieces. Joins them while they are texts, because that copies nothing. */
export function piecesOf(texts: readonly string[]): Pieces {
  const pieces: Uint8Array[] = []
  let joined = ''
  for (const text of texts) {
    joined += text
    if (joined.length < maxPieceChars) continue
    pieces.push(streamBytes(joined))
    joined = ''
  }
  if (joined !== '') pieces.push(streamBytes(joined))
  return pieces
}
