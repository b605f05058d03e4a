import type { IncomingMessage } from 'node:http'
import { ProblemError } from '@throughline/protocol/problem'

const maxBodyBytes = 1024 * 1024
const maxDiscardedBytes = 16 * 1024 * 1024

export async function readBodyText(incoming: IncomingMessage): Promise<string> {
  return (await readBodyBytes(incoming)).toString()
}

/**
 * Returns the bytes of a body. A body that is too large is read to its end as well, but not kept. Otherwise a client
 * that is still sending would not see the response, and its next request on the connection would fail.
 */
export async function readBodyBytes(incoming: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of incoming.iterator({ destroyOnReturn: false })) {
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
