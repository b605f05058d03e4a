import { ProblemError } from '@throughline/protocol/problem'
import type { Connection } from './connection.ts'

const maxBodyBytes = 1024 * 1024
const maxDiscardedBytes = 16 * 1024 * 1024

export async function readBodyText(connection: Connection): Promise<string> {
  return (await readBodyBytes(connection)).toString()
}

/**
 * Returns the bytes of a body. A body that is too large is read to its end as well, but not kept. Otherwise a client
 * that is still sending would not see the response, and its next request on the connection would fail.
 */
export async function readBodyBytes(connection: Connection): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of connection.body()) {
    size += piece.length
    if (size <= maxBodyBytes) pieces.push(piece)
    else if (size > maxDiscardedBytes) break
  }
  if (size <= maxBodyBytes) return Buffer.concat(pieces)
  throw new ProblemError(
    413,
    'body-too-large',
    `The body is larger than ${maxBodyBytes} bytes. Send less at once.`,
  )
}
