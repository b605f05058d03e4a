import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { heartbeatFrame } from './chunks/encode.ts'

export interface SendOptions {
  readonly heartbeatMs: number
  /** How long a viewer may not read at all before it is let go. It can come back to where it was. */
  readonly maxStallMs: number
  /** What a viewer hears when there is nothing to say; by default a comment. */
  readonly heartbeat?: Uint8Array | undefined
}

/**
 * Writes pages of bytes to a viewer: as fast as the viewer reads, many events per write, with a heartbeat
 * whenever it would fall silent. Straight to Node's response: stream helpers cost several times as much per frame.
 */
export async function sendStream(
  response: ServerResponse,
  pages: AsyncIterable<readonly Uint8Array[]>,
  { heartbeatMs, maxStallMs, heartbeat: beatFrame = heartbeatFrame }: SendOptions,
): Promise<void> {
  const beat = () => {
    if (response.writableLength === 0) response.write(beatFrame)
  }
  const heartbeat = setInterval(beat, heartbeatMs)
  try {
    for await (const page of pages) {
      for (const bytes of page) {
        if (response.destroyed) return
        if (!response.write(bytes)) await drained(response, maxStallMs)
      }
      heartbeat.refresh()
    }
    response.end()
  } finally {
    clearInterval(heartbeat)
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
    // It left, or it has stopped reading: either way it gets no more from here.
    response.destroy()
  } finally {
    response.off('close', onClose)
  }
}
