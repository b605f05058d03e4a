import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { heartbeat as comment } from './sse-events.ts'

export interface StreamPacing {
  /** How long a stream may be idle before a heartbeat is sent. */
  readonly heartbeatMs: number
  /** How long a viewer may read nothing before its connection is closed. It can come back and resume. */
  readonly maxStallMs: number
  /** The bytes of a heartbeat; by default an SSE comment. */
  readonly heartbeat?: Uint8Array | undefined
}

/**
 * Writes bytes to a viewer with back pressure: as fast as the viewer reads. Sends a heartbeat whenever the stream has been
 * idle for a while. It writes to Node's response itself, because stream helpers cost several times as much per event.
 */
export async function sendStream(
  response: ServerResponse,
  pages: AsyncIterable<readonly Uint8Array[]>,
  { heartbeatMs, maxStallMs, heartbeat = comment }: StreamPacing,
): Promise<void> {
  const beat = () => {
    if (response.writableLength === 0) response.write(heartbeat)
  }
  const timer = setInterval(beat, heartbeatMs)
  try {
    for await (const page of pages) {
      for (const bytes of page) {
        if (response.destroyed) return
        if (!response.write(bytes)) await drained(response, maxStallMs)
      }
      timer.refresh()
    }
    response.end()
  } finally {
    clearInterval(timer)
  }
}

async function drained(response: ServerResponse, maxStallMs: number): Promise<void> {
  const stalled = AbortSignal.timeout(maxStallMs)
  const left = new AbortController()
  const onClose = () => left.abort()
  response.once('close', onClose)
  try {
    await once(response, 'drain', { signal: AbortSignal.any([stalled, left.signal]) })
  } catch {
    // The viewer has left, or has stopped reading for too long.
    response.destroy()
  } finally {
    response.off('close', onClose)
  }
}
