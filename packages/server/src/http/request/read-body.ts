import { ProblemError } from '@throughline/protocol'
import { maxJsonDepth } from '@throughline/protocol/internal'
import type { HttpContext } from './context.ts'

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

/**
 * How many values a body may have. A real body of 1 MB has tens of thousands. Parsing this many takes a few hundredths of a
 * second; parsing those that fit into 32 MB takes seconds, and gigabytes.
 */
const maxBodyValues = 200_000

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

/**
 * Measures JSON while it is read, before it is parsed: how many values it has, how deep they are nested, and how many bytes
 * are not in strings. It does not check that it is JSON.
 *
 * Strings are skipped with a native search, so megabytes of base64 cost next to nothing.
 */
export class JsonMeter {
  /** How many bytes stand outside of strings. */
  bareBytes = 0
  #values = 1
  #depth = 0
  #isInString = false
  /** How many backslashes stand at the end of what was read of a string. */
  #backslashes = 0

  /** Reads the next piece. Returns the problem of a body that must not be parsed. */
  read(piece: Uint8Array): ProblemError | undefined {
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength)
    let index = 0
    while (index < bytes.length) {
      index = this.#isInString ? this.#skipString(bytes, index) : this.#readBare(bytes, index)
      if (this.#depth > maxJsonDepth) return tooDeep()
      if (this.#values > maxBodyValues) return tooComplex()
    }
    return undefined
  }

  /** Reads up to the next string. Returns where that begins. */
  #readBare(bytes: Buffer, start: number): number {
    for (let index = start; index < bytes.length; index++) {
      switch (bytes[index]) {
        case quote:
          this.#isInString = true
          this.#backslashes = 0
          this.bareBytes += index - start
          return index + 1
        case comma:
          this.#values++
          break
        case openBracket:
        case openBrace:
          this.#values++
          this.#depth++
          if (this.#depth > maxJsonDepth) return bytes.length
          break
        case closeBracket:
        case closeBrace:
          this.#depth--
          break
      }
    }
    this.bareBytes += bytes.length - start
    return bytes.length
  }

  /** Returns where the rest begins after a string, or the end of the bytes when the string goes on. */
  #skipString(bytes: Buffer, start: number): number {
    const end = bytes.indexOf(quote, start)
    const upTo = end === -1 ? bytes.length : end
    let count = 0
    while (upTo - count > start && bytes[upTo - count - 1] === backslash) count++
    if (upTo - count === start) count += this.#backslashes
    if (end === -1) {
      this.#backslashes = count
      return bytes.length
    }
    // After an odd number of backslashes the quote is a part of the string.
    this.#isInString = count % 2 === 1
    this.#backslashes = 0
    return end + 1
  }
}

function tooDeep(): ProblemError {
  return new ProblemError(
    400,
    'body-too-deep',
    `The body is nested deeper than ${maxJsonDepth} levels. Send a flatter one.`,
  )
}

function tooComplex(): ProblemError {
  return new ProblemError(
    413,
    'body-too-complex',
    `The body has more than ${maxBodyValues} values. Send fewer: a page that sends all its messages can send only the new one.`,
  )
}
