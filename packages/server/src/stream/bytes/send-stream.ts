import type { Heartbeats } from './heartbeats.ts'
import { type Pieces, sseTransport, type TransportBytes } from './pieces.ts'
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
