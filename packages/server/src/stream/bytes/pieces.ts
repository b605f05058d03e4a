import { encodeSseComment, encodeSseRetry } from '@throughline/protocol'
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

/** The bytes of a stream that belong to its connection, not to what the stream shows. */
export interface TransportBytes {
  /** Sent once, as soon as the connection is open. May be empty. */
  readonly opening: Uint8Array
  /** Sent whenever the stream has been idle for a while. */
  readonly heartbeat: Uint8Array
}

/**
 * How long an `EventSource` waits before it comes back after a cut, in milliseconds. Browsers wait three seconds or more
 * if nobody tells them.
 */
export const retryMs = 1_000

/** The transport bytes of server-sent events. Readers take neither for an event. */
export const sseTransport: TransportBytes = {
  opening: Buffer.from(encodeSseRetry(retryMs)),
  heartbeat: Buffer.from(encodeSseComment('heartbeat')),
}
