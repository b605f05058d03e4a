import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { StreamSink } from './stream-sink.ts'

/** Returns the sink that writes to Node's response itself. Stream helpers cost several times as much per event. */
export function responseSink(response: ServerResponse): StreamSink {
  return {
    get isClosed() {
      return response.destroyed
    },
    get isEmpty() {
      return response.writableLength === 0
    },
    write: bytes => response.write(bytes),
    drained: maxStallMs => drained(response, maxStallMs),
    end: () => void response.end(),
    cut: () => void response.destroy(),
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
