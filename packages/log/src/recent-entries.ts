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
  /**
   * An entry is kept for at least half of this time, and dropped after it when the log has grown again; in milliseconds.
   * Default: 1,000.
   */
  readonly maxAgeMs?: number
  /** In milliseconds. */
  readonly now?: () => number
}

/** The entries of one log that came one after the other, in half of the time that entries are kept. */
interface Period {
  readonly since: number
  readonly entries: Entry[]
  bytes: number
}

interface Recent {
  watcherCount: number
  epoch: string
  /** The period before the newest one. Its last entry comes right before the first one of the newest period. */
  older: Period
  newest: Period
  /** Counts up over all logs: the log with the highest number has grown last. */
  grownAt: number
}

/** What an entry costs beside its text: the objects that it is made of. */
const entryOverhead = 400

/**
 * Returns an empty cache. It drops what is old or too much of a log, and then the logs that have not grown for longest.
 *
 * Viewers who keep up read an entry within milliseconds; the others can read the store. What stays for longer is expensive:
 * V8 moves it to the part of the heap that it collects rarely, and in long pauses.
 */
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
    this.#options = {
      maxLogBytes: 256 * 1024,
      maxBytes: 32 * 1024 * 1024,
      maxAgeMs: 1_000,
      now: () => performance.now(),
      ...options,
    }
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
      this.#empty(recent)
      this.#recents.delete(log)
    }
  }

  add({ log, head }: Pick<Lease, 'log' | 'head'>, entries: readonly Entry[], textBytes: number): void {
    const recent = this.#recents.get(log)
    const [first] = entries
    if (recent === undefined || first === undefined) return
    this.#addCount += 1
    recent.grownAt = this.#addCount
    if (recent.epoch !== head.epoch || lastOf(recent)?.seq !== first.seq - 1) this.#empty(recent)
    recent.epoch = head.epoch
    const bytes = textBytes + entries.length * entryOverhead
    this.#forgetOld(recent, bytes)
    for (const entry of entries) recent.newest.entries.push(entry)
    recent.newest.bytes += bytes
    this.#bytes += bytes
    this.#makeRoom(recent)
  }

  read(log: LogName, after: Position, limit: number): readonly Entry[] | undefined {
    const recent = this.#recents.get(log)
    if (recent?.epoch !== after.epoch || !Number.isInteger(after.seq)) return undefined
    const last = lastOf(recent)
    if (last === undefined || after.seq >= last.seq) return undefined
    const older = recent.older.entries
    const newest = recent.newest.entries
    const start = after.seq + 1 - (older[0] ?? newest[0] ?? last).seq
    if (start < 0) return undefined
    if (start >= older.length) return newest.slice(start - older.length, start - older.length + limit)
    const found = older.slice(start, start + limit)
    return found.length < limit ? found.concat(newest.slice(0, limit - found.length)) : found
  }

  forget(log: LogName): void {
    const recent = this.#recents.get(log)
    if (recent !== undefined) this.#empty(recent)
  }

  /** Begins a new period when the newest one is old, or has no room for more bytes. Each may have half of what a log may. */
  #forgetOld(recent: Recent, bytes: number): void {
    const { maxLogBytes, maxAgeMs, now } = this.#options
    const time = now()
    const { newest } = recent
    if (time - newest.since > maxAgeMs / 2 || newest.bytes + bytes > maxLogBytes / 2) {
      this.#bytes -= recent.older.bytes
      recent.older = newest
      recent.newest = { since: time, entries: [], bytes: 0 }
    }
    if (Math.max(recent.older.bytes, bytes) <= maxLogBytes / 2) return
    this.#bytes -= recent.older.bytes
    recent.older = nothing
  }

  /** Drops whole logs, first the one that has not grown for longest. The newest one always stays. */
  #makeRoom(newest: Recent): void {
    const { maxBytes } = this.#options
    if (this.#bytes <= maxBytes) return
    for (const recent of [...this.#recents.values()].sort((a, b) => a.grownAt - b.grownAt)) {
      if (recent !== newest) this.#empty(recent)
      if (this.#bytes <= maxBytes / 2) return
    }
  }

  #empty(recent: Recent): void {
    this.#bytes -= recent.older.bytes + recent.newest.bytes
    recent.older = nothing
    recent.newest = nothing
  }
}

/** All logs without entries share it, because thousands of them may be watched. It is old, so nothing is added to it. */
const nothing: Period = { since: Number.NEGATIVE_INFINITY, entries: [], bytes: 0 }

function newRecent(): Recent {
  return { watcherCount: 0, epoch: '', older: nothing, newest: nothing, grownAt: 0 }
}

function lastOf({ older, newest }: Recent): Entry | undefined {
  return newest.entries.at(-1) ?? older.entries.at(-1)
}
