import type { Entry } from '@throughline/protocol/entry'
import type { Position } from '@throughline/protocol/position'
import type { Lease, LogName } from './log-store.ts'

/**
 * The newest entries of followed logs, in memory: many viewers of one answer share the entries, and with
 * them their encoded bytes, instead of each reading the store. It never answers what it does not know.
 */
export interface RecentEntries {
  /** Keeps a log's new entries from now on, until the answered function is called. */
  watch(log: LogName): () => void
  add(lease: Lease, entries: readonly Entry[]): void
  /** Entries after a position, or `undefined` when the store must be asked. */
  read(log: LogName, after: Position, limit: number): readonly Entry[] | undefined
  forget(log: LogName): void
}

interface Recent {
  readonly watchers: Set<symbol>
  epoch: string
  /** Without a gap, oldest first. */
  entries: Entry[]
}

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
      // Trimmed by half, so that keeping it short costs little per entry.
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
