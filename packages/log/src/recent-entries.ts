import type { Entry, Position } from '@throughline/protocol'
import type { Lease, LogName } from './log-store.ts'

/**
 * A cache of the newest entries of those logs that somebody follows. Many viewers of one answer then share the same
 * entry objects, and with them their encoded bytes. Without it, each viewer would read the store.
 */
export interface RecentEntries {
  /** Keeps the new entries of a log from now on. Returns a function that ends this. */
  watch(log: LogName): () => void
  /** Adds entries that were appended under a lease. Does nothing when nobody watches the log. */
  add(lease: Lease, entries: readonly Entry[]): void
  /** Returns at most `limit` entries after a position; `undefined` when they are not all here: then read the store. */
  read(log: LogName, after: Position, limit: number): readonly Entry[] | undefined
  /** Drops the entries of a log. */
  forget(log: LogName): void
}

interface Recent {
  readonly watchers: Set<symbol>
  epoch: string
  /** Oldest first, without gaps. */
  entries: Entry[]
}

/** Returns an empty cache. It keeps at least the last `maxEntries` entries of each log, and at most twice as many. */
export function createRecentEntries({ maxEntries = 1024 } = {}): RecentEntries {
  const recents = new Map<LogName, Recent>()

  return {
    watch(log) {
      const recent = recents.get(log) ?? { watchers: new Set(), epoch: '', entries: [] }
      recents.set(log, recent)
      const watcher = Symbol(log)
      recent.watchers.add(watcher)
      return () => {
        recent.watchers.delete(watcher)
        if (recent.watchers.size === 0 && recents.get(log) === recent) recents.delete(log)
      }
    },

    add({ log, head }, entries) {
      const recent = recents.get(log)
      const [first] = entries
      if (recent === undefined || first === undefined) return
      const follows = recent.epoch === head.epoch && recent.entries.at(-1)?.seq === first.seq - 1
      if (!follows) Object.assign(recent, { epoch: head.epoch, entries: [] })
      for (const entry of entries) recent.entries.push(entry)
      // Drops half of the entries at once, and only now and then. So the cost per entry stays small.
      if (recent.entries.length > 2 * maxEntries) recent.entries = recent.entries.slice(-maxEntries)
    },

    read(log, after, limit) {
      const recent = recents.get(log)
      const first = recent?.entries[0]?.seq
      const last = recent?.entries.at(-1)?.seq
      if (recent?.epoch !== after.epoch || first === undefined || last === undefined) return undefined
      if (!Number.isInteger(after.seq) || after.seq + 1 < first || after.seq >= last) return undefined
      const start = after.seq + 1 - first
      return recent.entries.slice(start, start + limit)
    },

    forget(log) {
      const recent = recents.get(log)
      if (recent !== undefined) recent.entries = []
    },
  }
}
