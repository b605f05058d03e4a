import { ChatError } from './chat-error.ts'

/** Watches whether anything is received on a connection. */
export interface StallWatch {
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
