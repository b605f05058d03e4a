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
  watchers: number
  epoch: string
  /** Without a gap, oldest first. */
  entries: Entry[]
}

export function createRecentEntries({ maxEntries = 1024 } = {}): RecentEntries {
  const recents = new Map<LogName, Recent>()

  return {
    watch(log) {
      const recent = recents.get(log) ?? { watchers: 0, epoch: '', entries: [] }
      recents.set(log, recent)
      recent.watchers += 1
      return () => {
        recent.watchers -= 1
        if (recent.watchers === 0) recents.delete(log)
      }
    },

    add({ log, head }, entries) {
      const recent = recents.get(log)
      if (recent === undefined) return
      const follows = recent.epoch === head.epoch && recent.entries.at(-1)?.seq === (entries[0]?.seq ?? 0) - 1
      if (follows) recent.entries.push(...entries)
      else Object.assign(recent, { epoch: head.epoch, entries: [...entries] })
      // Trimmed by half, so that keeping it short costs little per entry.
      if (recent.entries.length > 2 * maxEntries) recent.entries = recent.entries.slice(-maxEntries)
    },

    read(log, after, limit) {
      const recent = recents.get(log)
      const first = recent?.entries[0]?.seq
      const last = recent?.entries.at(-1)?.seq
      if (recent?.epoch !== after.epoch || first === undefined || last === undefined) return undefined
      if (after.seq + 1 < first || after.seq >= last) return undefined
      const start = after.seq + 1 - first
      return recent.entries.slice(start, start + limit)
    },

    forget(log) {
      const recent = recents.get(log)
      if (recent !== undefined) recent.entries = []
    },
  }
}
