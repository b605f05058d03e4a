import { ChatError } from './chat-error.ts'

export interface StallWatch {
  /** Aborts with the given signal, or when nothing was heard for too long. */
  readonly signal: AbortSignal
  /** Something was heard. */
  restart(): void
  stop(): void
}

/** A connection on which nothing comes for so long, not even a heartbeat, is taken for dead. */
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
