import { ProblemError } from '@throughline/protocol'
import type { Connection } from './connection.ts'

/** The largest body, in bytes. In a body that carries files, the data of the files does not count. */
export const maxBodyBytes = 1024 * 1024

/** The largest body that carries files, in bytes: the most files of one message in base64, and `maxBodyBytes`. */
export const maxFilesBodyBytes = 32 * 1024 * 1024

/** How much more is read of a body that is too large, in bytes. */
const maxDiscardedBytes = 15 * 1024 * 1024

/** Returns a body as text. Throws the problem `body-too-large`. Default for `maxBytes`: `maxBodyBytes`. */
export async function readBodyText(connection: Connection, maxBytes?: number): Promise<string> {
  return (await readBodyBytes(connection, maxBytes)).toString()
}

/**
 * Returns the bytes of a body. A body that is too large is read to its end as well, but not kept. Otherwise a client
 * that is still sending would not see the response, and its next request on the connection would fail.
 */
export async function readBodyBytes(connection: Connection, maxBytes = maxBodyBytes): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of connection.body()) {
    size += piece.length
    if (size <= maxBytes) pieces.push(piece)
    else {
      // What was kept so far is of no use any more.
      pieces.length = 0
      if (size > maxBytes + maxDiscardedBytes) break
    }
  }
  if (size <= maxBytes) return Buffer.concat(pieces)
  throw bodyTooLarge(maxBytes)
}

/** `what` is what was measured. */
export function bodyTooLarge(maxBytes: number, what = 'The body'): ProblemError {
  const advice =
    maxBytes === maxFilesBodyBytes
      ? 'Send smaller files. A page that keeps the data of earlier files sends only its new message (docs/guides/attachments.md).'
      : 'Send less at once.'
  return new ProblemError(413, 'body-too-large', `${what} is larger than ${maxBytes} bytes. ${advice}`)
}
