import { ProblemError } from '@throughline/protocol'
import type { HttpContext } from './context.ts'
import { JsonMeter } from './json-meter.ts'

/** The largest body, in bytes. In a body that carries files, the data of the files does not count. */
export const maxBodyBytes = 1024 * 1024

/** The largest body that carries files, in bytes: the most files of one message in base64, and `maxBodyBytes`. */
export const maxFilesBodyBytes = 32 * 1024 * 1024

/** How much more is read of a body that is too large, in bytes. */
const maxDiscardedBytes = 15 * 1024 * 1024

/** What limits a body. */
export interface BodyLimits {
  /** Default: `maxBodyBytes`. */
  readonly maxBytes?: number
  /** How long it may take to arrive, in milliseconds. Default: as long as the server waits for any request. */
  readonly maxMs?: number
  /** Looks at each piece. Returns a problem when the body must not be used. */
  readonly measure?: (piece: Uint8Array) => ProblemError | undefined
}

/** Returns the text of a JSON body, of which no more is read than can be parsed at once. */
export async function readJsonText(context: HttpContext, maxBytes = maxBodyBytes): Promise<string> {
  const meter = new JsonMeter()
  const measure = (piece: Uint8Array) => {
    const problem = meter.read(piece)
    // What is not in strings is no data of files.
    return problem ?? (meter.bareBytes > maxBodyBytes ? bodyWithoutFilesTooLarge() : undefined)
  }
  return (await readBodyBytes(context, { maxBytes, measure })).toString()
}

/**
 * Returns the bytes of a body. A body that is refused is read to its end as well, but not kept. Otherwise a client that is
 * still sending would not see the response, and its next request on the connection would fail. Throws the problem
 * `body-too-large`, or `server-busy` when the bodies of all requests are too large together.
 */
export async function readBodyBytes(
  { env, get }: HttpContext,
  { maxBytes = maxBodyBytes, maxMs, measure }: BodyLimits = {},
): Promise<Buffer> {
  const held = get('held')
  const pieces: Uint8Array[] = []
  let size = 0
  let refused: ProblemError | undefined
  // The connection is of no use any more: nobody knows where the next request begins.
  const timer = maxMs === undefined ? undefined : setTimeout(() => env.cut(), maxMs)
  try {
    for await (const piece of env.body()) {
      size += piece.length
      if (size > maxBytes) refused ??= bodyTooLarge(maxBytes)
      refused ??= measure?.(piece) ?? problemOf(() => held.add(piece.length))
      if (refused === undefined) pieces.push(piece)
      else {
        // What was kept so far is of no use any more. Others get its place.
        pieces.length = 0
        held[Symbol.dispose]()
      }
      if (refused !== undefined && size > maxBytes + maxDiscardedBytes) break
    }
  } finally {
    clearTimeout(timer)
  }
  if (refused !== undefined) throw refused
  return Buffer.concat(pieces)
}

function problemOf(work: () => void): ProblemError | undefined {
  try {
    work()
    return undefined
  } catch (error) {
    if (error instanceof ProblemError) return error
    throw error
  }
}

/** For a body that would be too large without its files, too. */
export function bodyWithoutFilesTooLarge(): ProblemError {
  return bodyTooLarge(maxBodyBytes, 'The body without its files')
}

/** `what` is what was measured. */
function bodyTooLarge(maxBytes: number, what = 'The body'): ProblemError {
  const advice =
    maxBytes === maxFilesBodyBytes
      ? 'Send smaller files. A page that keeps the data of earlier files sends only its new message (docs/guides/attachments.md).'
      : 'Send less at once.'
  return new ProblemError(413, 'body-too-large', `${what} is larger than ${maxBytes} bytes. ${advice}`)
}
