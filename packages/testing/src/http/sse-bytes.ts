import type { ReadableStreamDefaultReader } from 'node:stream/web'

/** One SSE event of a stream, and its bytes. */
export interface SseEventBytes {
  readonly bytes: Buffer
  readonly id: string | undefined
  readonly event: string | undefined
  /** `undefined` for a comment. */
  readonly data: string | undefined
}

/** Reads the bytes of a response as far as a test wants. Disposing closes the connection. */
export class SseBytes implements AsyncDisposable {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  #bytes: Buffer = Buffer.alloc(0)
  #isEnded = false

  constructor(response: Response) {
    this.#reader = response.body?.getReader()
  }

  /** Everything read so far. */
  get bytes(): Buffer {
    return this.#bytes
  }

  /** Reads until the stream contains the text. Throws if the stream ends without it. */
  async until(text: string): Promise<Buffer> {
    while (!this.#bytes.includes(text)) await this.more()
    return this.#bytes
  }

  /** Reads the next piece. Throws if the stream has ended. */
  async more(): Promise<void> {
    await this.#read()
    if (this.#isEnded) throw new Error(`The stream has ended:\n${this.#bytes}`)
  }

  /** Reads to the end of the stream. */
  async rest(): Promise<Buffer> {
    while (!this.#isEnded) await this.#read()
    return this.#bytes
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // A stream that was cut off cannot be cancelled, and need not be.
    await this.#reader?.cancel().catch(() => undefined)
  }

  async #read(): Promise<void> {
    const next = await this.#reader?.read()
    if (next?.value === undefined) this.#isEnded = true
    else this.#bytes = Buffer.concat([this.#bytes, next.value])
  }
}

const retryField = 'retry: 1000\n\n'

/**
 * Returns the bytes of a stream without its `retry:` field. Every stream has that field once, before its first event.
 * Throws when it is missing or is there again.
 */
export function withoutRetry(bytes: Buffer): Buffer {
  const rest = bytes.subarray(retryField.length)
  if (bytes.indexOf(retryField) === 0 && !/^retry:/m.test(rest.toString())) return rest
  throw new Error(`The stream does not have "retry:" once, at its start:\n${bytes}`)
}

/**
 * Returns the complete SSE events in these bytes. The `retry:` field at their start is no event. What comes after the
 * last blank line is left out.
 */
export function sseEventsIn(bytes: Buffer): readonly SseEventBytes[] {
  const sseEvents: SseEventBytes[] = []
  for (let start = bytes.indexOf(retryField) === 0 ? retryField.length : 0; ; ) {
    const blankLine = bytes.indexOf('\n\n', start)
    if (blankLine === -1) return sseEvents
    const end = blankLine + 2
    sseEvents.push(sseEventFrom(bytes.subarray(start, end)))
    start = end
  }
}

/** Returns the parsed data of all SSE events, without heartbeats and the last `[DONE]`. */
export function valuesOf(bytes: Buffer): readonly unknown[] {
  return sseEventsIn(bytes).flatMap(({ data }) =>
    data === undefined || data === '[DONE]' ? [] : [JSON.parse(data)],
  )
}

// Reads only what our own encoder writes: one line per field, and one data line.
function sseEventFrom(bytes: Buffer): SseEventBytes {
  const lines = bytes.toString().split('\n')
  const field = (name: string) => lines.find(line => line.startsWith(`${name}: `))?.slice(name.length + 2)
  return { bytes, id: field('id'), event: field('event'), data: field('data') }
}
