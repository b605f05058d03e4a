import { encodeSseComment, encodeSseRetry } from '@throughline/protocol'
import type { Pieces } from './encoded-pages.ts'
import type { StreamSink } from './stream-sink.ts'

/** How a stream is sent. */
export interface SendStreamOptions<End> {
  /** Sends the heartbeats of this stream, and of all others of the server. */
  readonly heartbeats: Heartbeats
  /** How long a viewer may take nothing before its connection is closed, in milliseconds. It can come back and resume. */
  readonly maxStallMs: number
  /** By default those of server-sent events. */
  readonly transport?: TransportBytes | undefined
  /** Called after the last page, before the stream is ended. Gets what the pages have returned. */
  readonly onEnd?: ((end: End) => void) | undefined
}

/**
 * Writes bytes to a viewer with back pressure: as fast as the viewer reads. Sends a heartbeat whenever the stream has been
 * idle for a while. Ends early when the viewer leaves.
 *
 * Nothing of a page is held while the stream waits for the next one. So this is no `for await`, which would hold it.
 */
export async function sendStream<End>(
  sink: StreamSink,
  stream: AsyncIterable<Pieces, End>,
  { heartbeats, maxStallMs, transport = sseTransport, onEnd }: SendStreamOptions<End>,
): Promise<void> {
  let isSending = false
  const beat = () => {
    // One SSE event may be sent in several writes, and a heartbeat must not come between them.
    if (!isSending && !sink.isClosed && sink.isEmpty) sink.write(transport.heartbeat)
  }
  const pages = stream[Symbol.asyncIterator]()
  try {
    if (transport.opening.length > 0) sink.write(transport.opening)
    heartbeats.wrote(beat)
    let next: IteratorResult<Pieces, End> | undefined = await pages.next()
    while (next.done !== true) {
      isSending = true
      await sendPieces(sink, next.value, maxStallMs)
      isSending = false
      if (sink.isClosed) return
      heartbeats.wrote(beat)
      next = undefined
      next = await pages.next()
    }
    onEnd?.(next.value)
    sink.end()
  } finally {
    heartbeats.remove(beat)
    await pages.return?.()
  }
}

/**
 * How many bytes are written at once. A larger piece is written in slices, without copying it. So a viewer who takes
 * a large entry slowly is seen to take it, and holds little memory of its own.
 */
const maxWriteBytes = 64 * 1024

async function sendPieces(sink: StreamSink, pieces: Pieces, maxStallMs: number): Promise<void> {
  for (const piece of pieces) {
    for (let start = 0; start < piece.length; start += maxWriteBytes) {
      if (sink.isClosed) return
      const slice = piece.length <= maxWriteBytes ? piece : piece.subarray(start, start + maxWriteBytes)
      if (!sink.write(slice)) await sink.drained(maxStallMs)
    }
  }
}

/** Sends one heartbeat to one stream. Must not throw. */
type Beat = () => void

/** The times of heartbeats. */
export interface HeartbeatOptions {
  /** How long a stream may be idle before it gets a heartbeat, in milliseconds. */
  readonly heartbeatMs: number
  /** Returns the time in milliseconds. It must not go backwards. Default: `performance.now`. */
  readonly now?: () => number
}

/**
 * Sends heartbeats to all idle streams of a server, with one timer.
 *
 * The streams are in the order of their last writes, so a tick looks only at those that are due. A Map keeps that order:
 * each write moves its stream to the end.
 */
export class Heartbeats {
  readonly #heartbeatMs: number
  readonly #now: () => number
  readonly #lastWrites = new Map<Beat, number>()
  #timer: NodeJS.Timeout | undefined

  constructor({ heartbeatMs, now = () => performance.now() }: HeartbeatOptions) {
    this.#heartbeatMs = heartbeatMs
    this.#now = now
  }

  /** The stream was opened, or written to. Its next heartbeat comes when it has been idle since now. */
  wrote(beat: Beat): void {
    this.#move(beat)
    if (this.#timer === undefined) this.#startTimer(this.#heartbeatMs)
  }

  /** The stream has ended. It gets no more heartbeats. */
  remove(beat: Beat): void {
    this.#lastWrites.delete(beat)
    if (this.#lastWrites.size > 0) return
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  readonly #tick = (): void => {
    this.#timer = undefined
    const due = this.#now() - this.#heartbeatMs
    for (const [beat, lastWrite] of this.#lastWrites) {
      if (lastWrite > due) {
        // Streams that are due at almost the same time get their heartbeats in one tick.
        this.#startTimer(Math.max(lastWrite - due, this.#heartbeatMs / 100))
        return
      }
      // The heartbeat is a write too, so the stream goes to the end. The loop returns before it comes there.
      this.#move(beat)
      beat()
    }
  }

  #move(beat: Beat): void {
    this.#lastWrites.delete(beat)
    this.#lastWrites.set(beat, this.#now())
  }

  #startTimer(delayMs: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(this.#tick, delayMs)
  }
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
