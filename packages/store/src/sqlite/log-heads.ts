import type { LogExtent, LogName } from '@throughline/log'
import { KeyedMutex } from '@throughline/protocol/internal'

/** What a writer must know of a log: where it ends, and who may write. */
export interface CachedHead extends LogExtent {
  fence: number
  seq: number
}

/** At least this many logs are known. When there are twice as many, those that were not used last are forgotten. */
const keptCount = 10_000

/**
 * The heads of logs, in memory. This is sound because one process has the database locked: nobody else can append, trim or
 * take a lease. What is not known here is loaded.
 *
 * Work that changes a log runs in the mutex: one after the other per log, so that each sees the head that the one before it left.
 */
export class LogHeads {
  readonly mutex = new KeyedMutex<LogName>()
  readonly #load: (log: LogName) => Promise<CachedHead | undefined>
  /** The logs that were used last, and those that were used before them. */
  #newer = new Map<LogName, CachedHead>()
  #older = new Map<LogName, CachedHead>()

  constructor(load: (log: LogName) => Promise<CachedHead | undefined>) {
    this.#load = load
  }

  /** Returns the head of a log, if it is known. */
  known(log: LogName): CachedHead | undefined {
    const newer = this.#newer.get(log)
    if (newer !== undefined) return newer
    const older = this.#older.get(log)
    if (older !== undefined) this.keep(log, older)
    return older
  }

  /** Reads the head of a log from the database. Only work in the mutex may keep it: otherwise it may be old by now. */
  load(log: LogName): Promise<CachedHead | undefined> {
    return this.#load(log)
  }

  keep(log: LogName, head: CachedHead): void {
    this.#newer.set(log, head)
    if (this.#newer.size <= keptCount) return
    this.#older = this.#newer
    this.#newer = new Map()
  }

  forget(log: LogName): void {
    this.#newer.delete(log)
    this.#older.delete(log)
  }
}
