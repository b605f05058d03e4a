import type { Entry, Position } from '@throughline/protocol'
import type { Lease, LogName } from './log-store.ts'

/**
 * A cache of the newest entries of those logs that somebody follows. Many viewers of one answer then share the same
 * entry objects, and with them their encoded bytes. Without it, each viewer would read the store.
 */
export interface RecentEntries {
  /** Keeps the new entries of a log from now on. Returns a function that ends this. */
  watch(log: LogName): () => void
  /** Adds entries that were appended, with their size. Does nothing when nobody watches the log. */
  add(log: Pick<Lease, 'log' | 'head'>, entries: readonly Entry[], bytes: number): void
  /** Returns at most `limit` entries after a position; `undefined` when they are not all here: then read the store. */
  read(log: LogName, after: Position, limit: number): readonly Entry[] | undefined
  /** Drops the entries of a log. New entries are kept again. */
  forget(log: LogName): void
}

/** How much the cache may hold. */
export interface RecentEntriesOptions {
  /** In bytes, of one log. Default: 256 KiB. */
  readonly maxLogBytes?: number
  /** In bytes, of all logs together. Default: 32 MiB. */
  readonly maxBytes?: number
}

interface Recent {
  watcherCount: number
  epoch: string
  /** Oldest first, without gaps. */
  entries: Entry[]
  /** The bytes of each entry, about. */
  sizes: number[]
  bytes: number
  /** Counts up over all logs: the log with the highest number has grown last. */
  grownAt: number
}

/** What an entry costs beside its text: the objects that it is made of. */
const entryOverhead = 400

/** Returns an empty cache. It drops the oldest entries of a log, and then the logs that have not grown for longest. */
export function createRecentEntries(options: RecentEntriesOptions = {}): RecentEntries {
  return new RecentEntriesByLog(options)
}

class RecentEntriesByLog implements RecentEntries {
  readonly #options: Required<RecentEntriesOptions>
  /** The logs that somebody watches. */
  readonly #recents = new Map<LogName, Recent>()
  #bytes = 0
  #addCount = 0

  constructor(options: RecentEntriesOptions) {
    this.#options = { maxLogBytes: 256 * 1024, maxBytes: 32 * 1024 * 1024, ...options }
  }

  watch(log: LogName): () => void {
    const recent = this.#recents.get(log) ?? newRecent()
    this.#recents.set(log, recent)
    recent.watcherCount += 1
    let isWatching = true
    return () => {
      if (!isWatching) return
      isWatching = false
      recent.watcherCount -= 1
      if (recent.watcherCount > 0 || this.#recents.get(log) !== recent) return
      this.#drop(recent, recent.entries.length)
      this.#recents.delete(log)
    }
  }

  add({ log, head }: Pick<Lease, 'log' | 'head'>, entries: readonly Entry[], bytes: number): void {
    const recent = this.#recents.get(log)
    const [first] = entries
    if (recent === undefined || first === undefined) return
    this.#addCount += 1
    recent.grownAt = this.#addCount
    const follows = recent.epoch === head.epoch && recent.entries.at(-1)?.seq === first.seq - 1
    if (!follows) this.#drop(recent, recent.entries.length)
    recent.epoch = head.epoch
    const size = Math.ceil(bytes / entries.length) + entryOverhead
    for (const entry of entries) {
      recent.entries.push(entry)
      recent.sizes.push(size)
    }
    recent.bytes += size * entries.length
    this.#bytes += size * entries.length
    this.#shrink(recent)
    this.#makeRoom(recent)
  }

  read(log: LogName, after: Position, limit: number): readonly Entry[] | undefined {
    const recent = this.#recents.get(log)
    const first = recent?.entries[0]?.seq
    const last = recent?.entries.at(-1)?.seq
    if (recent?.epoch !== after.epoch || first === undefined || last === undefined) return undefined
    if (!Number.isInteger(after.seq) || after.seq + 1 < first || after.seq >= last) return undefined
    const start = after.seq + 1 - first
    return recent.entries.slice(start, start + limit)
  }

  forget(log: LogName): void {
    const recent = this.#recents.get(log)
    if (recent !== undefined) this.#drop(recent, recent.entries.length)
  }

  /** Drops the oldest entries of a log, down to half of what it may hold, so that it is done only now and then. */
  #shrink(recent: Recent): void {
    const { maxLogBytes } = this.#options
    if (recent.bytes <= maxLogBytes) return
    let count = 0
    let { bytes } = recent
    // The newest entry always stays: its viewers are about to read it.
    while (count < recent.sizes.length - 1 && bytes > maxLogBytes / 2) {
      bytes -= recent.sizes[count] ?? 0
      count += 1
    }
    this.#drop(recent, count)
  }

  /** Drops whole logs, first the one that has not grown for longest. The newest one always stays. */
  #makeRoom(newest: Recent): void {
    const { maxBytes } = this.#options
    if (this.#bytes <= maxBytes) return
    for (const recent of [...this.#recents.values()].sort((a, b) => a.grownAt - b.grownAt)) {
      if (recent !== newest) this.#drop(recent, recent.entries.length)
      if (this.#bytes <= maxBytes / 2) return
    }
  }

  #drop(recent: Recent, count: number): void {
    if (count === 0) return
    const dropped = recent.sizes.slice(0, count).reduce((sum, size) => sum + size, 0)
    recent.entries = recent.entries.slice(count)
    recent.sizes = recent.sizes.slice(count)
    recent.bytes -= dropped
    this.#bytes -= dropped
  }
}

function newRecent(): Recent {
  return { watcherCount: 0, epoch: '', entries: [], sizes: [], bytes: 0, grownAt: 0 }
}
