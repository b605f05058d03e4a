import type { ReadableStreamDefaultReader } from 'node:stream/web'
import { type RecordedEvent, SseRecorder } from '@throughline/protocol/history'
import { sseBlocksIn } from '@throughline/protocol/testing'
import { inTime } from '../waits/in-time.ts'

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
  readonly #recorder = new SseRecorder()
  #isEnded = false

  constructor(response: Response) {
    this.#reader = response.body?.getReader()
  }

  /** Everything read so far. */
  get bytes(): Buffer {
    return Buffer.from(this.#recorder.bytes, 'latin1')
  }

  /** The events that have come so far. */
  get events(): readonly RecordedEvent[] {
    return this.#recorder.events
  }

  /** Reads until the stream contains the text. Throws if the stream ends without it. */
  async until(text: string): Promise<Buffer> {
    const seen = () => this.bytes.toString()
    const wanted = Buffer.from(text).toString('latin1')
    while (!this.#recorder.bytes.includes(wanted))
      await inTime(`the stream has ${text}`, this.more(), { seen })
    return this.bytes
  }

  /** Reads the next piece. Throws if the stream has ended. */
  async more(): Promise<void> {
    await this.#read()
    if (this.#isEnded) throw new Error(`The stream has ended:\n${this.bytes}`)
  }

  /** Reads to the end of the stream. */
  async rest(): Promise<Buffer> {
    while (!this.#isEnded) await this.#read()
    return this.bytes
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // A stream that was cut off cannot be cancelled, and need not be.
    await this.#reader?.cancel().catch(() => undefined)
  }

  async #read(): Promise<void> {
    const next = await this.#reader?.read()
    if (next?.value === undefined) this.#isEnded = true
    else this.#recorder.push(next.value)
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
 * Returns the complete SSE events in these bytes, and the comments. The `retry:` field at their start is no event. What comes
 * after the last blank line is left out.
 */
export function sseEventsIn(bytes: Buffer): readonly SseEventBytes[] {
  const start = bytes.indexOf(retryField) === 0 ? retryField.length : 0
  const { blocks } = sseBlocksIn(bytes.toString('latin1', start))
  return blocks.map(({ name, bytes: block, ...fields }) => ({
    ...fields,
    event: name,
    bytes: Buffer.from(block, 'latin1'),
  }))
}

/** Returns the parsed data of all SSE events, without heartbeats and the last `[DONE]`. */
export function valuesOf(bytes: Buffer): readonly unknown[] {
  return sseEventsIn(bytes).flatMap(({ data }) =>
    data === undefined || data === '[DONE]' ? [] : [JSON.parse(data)],
  )
}
