import type { LogExtent, LogName } from '@throughline/log'

/** What a writer must know of a log: where it ends, and who may write. */
export interface LogHead extends LogExtent {
  fence: number
  seq: number
}

/** So many logs are known at least. When there are twice as many, the others are forgotten. */
const keptCount = 10_000

/**
 * The heads of logs, in memory. This is sound because one process has the database locked: nobody else can append, trim or
 * take a lease. What is not known here is loaded.
 *
 * Work that changes a log runs in turn: one after the other per log, so that each sees the head that the one before it left.
 */
export class LogHeads {
  readonly #load: (log: LogName) => Promise<LogHead | undefined>
  /** The logs that were used last, and those that were used before them. */
  #newer = new Map<LogName, LogHead>()
  #older = new Map<LogName, LogHead>()
  /** The end of the last work in each log where some is under way. */
  readonly #turns = new Map<LogName, Promise<unknown>>()

  constructor(load: (log: LogName) => Promise<LogHead | undefined>) {
    this.#load = load
  }

  /** Returns the head of a log, if it is known. */
  known(log: LogName): LogHead | undefined {
    const newer = this.#newer.get(log)
    if (newer !== undefined) return newer
    const older = this.#older.get(log)
    if (older !== undefined) this.keep(log, older)
    return older
  }

  /** Reads the head of a log from the database. Only work in turn may keep it: otherwise it may be old by now. */
  load(log: LogName): Promise<LogHead | undefined> {
    return this.#load(log)
  }

  keep(log: LogName, head: LogHead): void {
    this.#newer.set(log, head)
    if (this.#newer.size <= keptCount) return
    this.#older = this.#newer
    this.#newer = new Map()
  }

  forget(log: LogName): void {
    this.#newer.delete(log)
    this.#older.delete(log)
  }

  /** Does the work when all work before it in the same log has ended, with success or not. */
  inTurn<Result>(log: LogName, work: () => Promise<Result>): Promise<Result> {
    const before = this.#turns.get(log)
    const result = before === undefined ? work() : before.then(work, work)
    const end = () => {
      if (this.#turns.get(log) === result) this.#turns.delete(log)
    }
    this.#turns.set(log, result)
    result.then(end, end)
    return result
  }
}
