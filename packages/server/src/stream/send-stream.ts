import type { StreamSink } from './stream-sink.ts'
import { sseTransport, type TransportBytes } from './transport-bytes.ts'

/** The times of a stream, in milliseconds. */
export interface StreamPacing {
  /** How long a stream may be idle before a heartbeat is sent. */
  readonly heartbeatMs: number
  /** How long a viewer may read nothing before its connection is closed. It can come back and resume. */
  readonly maxStallMs: number
  /** By default those of server-sent events. */
  readonly transport?: TransportBytes | undefined
}

/**
 * Writes bytes to a viewer with back pressure: as fast as the viewer reads. Sends a heartbeat whenever the stream has been
 * idle for a while.
 */
export async function sendStream(
  sink: StreamSink,
  pages: AsyncIterable<readonly Uint8Array[]>,
  { heartbeatMs, maxStallMs, transport = sseTransport }: StreamPacing,
): Promise<void> {
  const beat = () => {
    if (sink.isEmpty) sink.write(transport.heartbeat)
  }
  if (transport.opening.length > 0) sink.write(transport.opening)
  const timer = setInterval(beat, heartbeatMs)
  try {
    for await (const page of pages) {
      for (const bytes of page) {
        if (sink.isClosed) return
        if (!sink.write(bytes)) await sink.drained(maxStallMs)
      }
      timer.refresh()
    }
    sink.end()
  } finally {
    clearInterval(timer)
  }
}
