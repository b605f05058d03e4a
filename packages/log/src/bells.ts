import type { LogName } from './log-store.ts'

/** The bells of one process: who is to be told that a log has grown. */
export interface Bells {
  ring(log: LogName): void
  listen(log: LogName, ring: () => void): () => void
}

export function createBells(): Bells {
  const listeners = new Map<LogName, Set<() => void>>()
  return {
    ring(log) {
      const rings = listeners.get(log) ?? new Set()
      // A copy: who listens anew while it is rung waits for the next ring.
      for (const ring of [...rings]) if (rings.has(ring)) ring()
    },
    listen(log, ring) {
      const rings = listeners.get(log) ?? new Set()
      listeners.set(log, rings)
      // A wrapper of its own, so that one function listening twice is two listeners.
      const own = () => {
        try {
          ring()
        } catch {
          // The entries are committed and others wait for their ring: who breaks here loses only its own.
        }
      }
      rings.add(own)
      return () => {
        rings.delete(own)
        if (rings.size === 0 && listeners.get(log) === rings) listeners.delete(log)
      }
    },
  }
}
