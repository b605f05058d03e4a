import type { LogName } from './log-store.ts'

/** Tells the followers in one process that a log has grown. */
export interface Bells {
  /** Calls every function that listens to this log. */
  ring(log: LogName): void
  /** Calls `ring` each time the log has grown. Returns a function that ends this. */
  listen(log: LogName, ring: () => void): () => void
}

/** Returns bells that nobody listens to yet. */
export function createBells(): Bells {
  const listeners = new Map<LogName, Set<() => void>>()
  return {
    ring(log) {
      const rings = listeners.get(log)
      if (rings === undefined) return
      // Goes over a copy: a function that starts to listen during the ring is called at the next one.
      for (const ring of [...rings]) if (rings.has(ring)) ring()
    },
    listen(log, ring) {
      const rings = listeners.get(log) ?? new Set()
      listeners.set(log, rings)
      // A new function for each call, so that the same function can listen twice.
      const own = () => {
        try {
          ring()
        } catch {
          // The entries are committed, and other listeners wait for their call. The one that throws loses only its own.
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
