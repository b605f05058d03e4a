import { ChatError } from './chat-error.ts'

/** Yields the bytes of a response body as they arrive. Leaving the loop early cancels the request. */
export async function* bodyPieces<Bytes extends Uint8Array>(
  body: ReadableStream<Bytes>,
): AsyncGenerator<Bytes, void, undefined> {
  // Uses a reader, because Safari cannot iterate over a stream.
  const reader = body.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    // Nobody needs the rest of the body, so a failure to cancel it does not matter.
    await reader.cancel().catch(() => undefined)
  }
}

/** Watches whether anything is received on a connection. */
interface StallWatch {
  /** Aborts with the given signal, or when nothing was received for too long. */
  readonly signal: AbortSignal
  /** Call this when anything was received. */
  restart(): void
  /** Ends the watch. */
  stop(): void
}

/**
 * Watches a connection. When nothing is received for `stallMs` milliseconds, not even a heartbeat, it counts as dead.
 */
export function watchStall(signal: AbortSignal, stallMs = 30_000): StallWatch {
  const stalled = new AbortController()
  const stall = () => stalled.abort(new ChatError('network', 'The connection fell silent.'))
  let timer = setTimeout(stall, stallMs)
  return {
    signal: AbortSignal.any([signal, stalled.signal]),
    restart() {
      clearTimeout(timer)
      timer = setTimeout(stall, stallMs)
    },
    stop: () => clearTimeout(timer),
  }
}
