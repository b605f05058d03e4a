import type { LogTables } from './log-tables.ts'
import type { Prepare } from './statements.ts'

/** How much the chores may do, and may leave undone. */
export interface ChoreOptions {
  /** How many entries are moved or deleted at a time. Other jobs wait meanwhile. Default: 1,000. */
  readonly sliceEntries?: number
  /** How many rows the tail may have. When it has more, the entries of all logs are moved. Default: 262,144. */
  readonly maxTailRows?: number
}

/**
 * The work on the logs that nobody waits for, in slices: moving entries out of the tail, deleting rows of the tail that
 * were moved, and deleting the entries of logs that were removed or trimmed.
 */
export class LogChores {
  readonly #prepare: Prepare
  readonly #logs: LogTables
  readonly #options: Required<ChoreOptions>
  /** The rows of the tail up to this one were deleted. */
  #deletedUpTo: number
  /** Whether rows of the tail were moved, or their log was removed, since the last look at what can be deleted. */
  #hasMoved = true

  constructor(prepare: Prepare, logs: LogTables, options: ChoreOptions = {}) {
    this.#prepare = prepare
    this.#logs = logs
    this.#options = { sliceEntries: 1_000, maxTailRows: 256 * 1024, ...options }
    const row = prepare('select min(arrival) as arrival from log_tail').get()
    this.#deletedUpTo = Number(row?.['arrival'] ?? logs.tail.lastArrival + 1) - 1
  }

  /** Whether there is something to do now. */
  get isWaiting(): boolean {
    const { tail, toSettle, hasRemovals } = this.#logs
    return toSettle.size > 0 || hasRemovals || this.#hasMoved || tail.rowCount > this.#options.maxTailRows
  }

  /** Asks for the entries of all logs to be moved. */
  settleAll(): void {
    for (const epoch of this.#logs.tail.epochs) this.#logs.toSettle.add(epoch)
  }

  /**
   * Does one slice of the work, in the transaction that is open. No log may be trimmed or removed in the same one.
   * `tail.commit` or `tail.rollback` must follow.
   */
  doSlice(): void {
    const { tail, toSettle } = this.#logs
    if (toSettle.size === 0 && tail.rowCount > this.#options.maxTailRows) this.settleAll()
    if (toSettle.size > 0) this.#settle()
    else if (this.#hasMoved) this.#deleteMoved()
    else this.#deleteRemoved()
  }

  #settle(): void {
    const { toSettle } = this.#logs
    let left = this.#options.sliceEntries
    for (const epoch of toSettle) {
      if (left <= 0) break
      const count = this.#logs.settle(epoch, left)
      // Otherwise there may be more of this log.
      if (count < left) toSettle.delete(epoch)
      left -= count
    }
    this.#hasMoved = true
  }

  /** Deletes the oldest rows of the tail, up to the first one that somebody still needs. */
  #deleteMoved(): void {
    const slice = 4 * this.#options.sliceEntries
    const { tail } = this.#logs
    const oldest = tail.oldestArrival() ?? tail.lastArrival + 1
    const count = oldest - 1 - this.#deletedUpTo
    // Few rows are not worth the pages that are written for it, unless they are the last ones.
    const isWorthIt = count >= slice || (count > 0 && tail.rowCount === 0)
    if (isWorthIt) {
      this.#deletedUpTo += Math.min(count, slice)
      this.#prepare('delete from log_tail where arrival <= ?').run(this.#deletedUpTo)
    }
    this.#hasMoved = isWorthIt && count > slice
  }

  #deleteRemoved(): void {
    const removal = this.#prepare('select epoch, up_to from log_removals limit 1').get()
    if (removal === undefined) {
      this.#logs.hasRemovals = false
      return
    }
    const epoch = String(removal['epoch'])
    const found = this.#prepare('select min(seq) as seq from log_entries where epoch = ?').get(epoch)
    const first = Number(found?.['seq'] ?? Number.POSITIVE_INFINITY)
    const upTo = Number(removal['up_to'])
    if (first > upTo) {
      this.#prepare('delete from log_removals where epoch = ?').run(epoch)
      // Nobody needs the rows that the log had in the tail. Without this, they would stay until other rows are moved.
      this.#hasMoved = true
    } else {
      const last = Math.min(upTo, first + this.#options.sliceEntries - 1)
      this.#prepare('delete from log_entries where epoch = ? and seq <= ?').run(epoch, last)
    }
  }
}
