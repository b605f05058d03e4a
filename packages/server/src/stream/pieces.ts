/** Bytes for a viewer. Each piece is one write, and small enough to be held for a viewer who reads slowly. */
export type Pieces = readonly Uint8Array[]

const maxPieceBytes = 64 * 1024

/** Joins many small byte arrays into as few pieces as possible. */
export function joinPieces(bytes: readonly Uint8Array[]): Pieces {
  const pieces: Uint8Array[] = []
  let group: Uint8Array[] = []
  let size = 0
  const close = () => {
    if (size > 0) pieces.push(Buffer.concat(group, size))
    group = []
    size = 0
  }
  for (const each of bytes) {
    group.push(each)
    size += each.length
    if (size >= maxPieceBytes) close()
  }
  close()
  return pieces
}
