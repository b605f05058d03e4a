/** A row of the table `log_tail`: the entries of one append. */
export interface TailRow {
  /** The rows of all logs are numbered in the order in which they came. */
  readonly arrival: number
  /** The number of its first entry in its log. */
  readonly first: number
  readonly count: number
}

type Change =
  | { readonly type: 'append'; readonly epoch: string; readonly row: TailRow }
  | { readonly type: 'settle'; readonly epoch: string; readonly rows: number }
  | { readonly type: 'forget'; readonly epoch: string }

/**
 * Knows in memory where the entries of each log are in the tail. The tail has no index on disk, because every append
 * would then write to a page of its own log.
 *
 * A change counts when its transaction is committed: `commit` applies what was changed since, `rollback` drops it.
 */
export class TailIndex {
  readonly #logs = new Map<string, TailRow[]>()
  #staged: Change[] = []
  #rowCount = 0
  /** The newest row that is committed, or was found when the database was opened. */
  lastArrival = 0

  /** The number of rows whose entries are only in the tail. */
  get rowCount(): number {
    return this.#rowCount
  }

  /** The logs that have entries in the tail. The one whose entries are there for longest is not always the first. */
  get epochs(): Iterable<string> {
    return this.#logs.keys()
  }

  /** A row was added at the end of a log. */
  append(epoch: string, row: TailRow): void {
    this.#staged.push({ type: 'append', epoch, row })
  }

  /** This many rows at the beginning of a log are no longer needed: their entries are elsewhere now. */
  settle(epoch: string, rows: number): void {
    this.#staged.push({ type: 'settle', epoch, rows })
  }

  /** The log was removed. */
  forget(epoch: string): void {
    this.#staged.push({ type: 'forget', epoch })
  }

  /** Returns the rows of a log, oldest first. */
  rowsOf(epoch: string): readonly TailRow[] {
    return this.#logs.get(epoch) ?? []
  }

  /** Returns the rows of a log that have entries after a number. */
  rowsAfter(epoch: string, after: number): readonly TailRow[] {
    const rows = this.rowsOf(epoch)
    let low = 0
    let high = rows.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (lastOf(rows[middle]) > after) high = middle
      else low = middle + 1
    }
    return rows.slice(low)
  }

  /** Returns the number of the last entry of a log; 0 when it has none in the tail. */
  lastIn(epoch: string): number {
    return lastOf(this.rowsOf(epoch).at(-1))
  }

  /** Returns the smallest `arrival` that is still needed; `undefined` when none is. */
  oldestArrival(): number | undefined {
    let oldest: number | undefined
    for (const [first] of this.#logs.values())
      if (first !== undefined && (oldest === undefined || first.arrival < oldest)) oldest = first.arrival
    return oldest
  }

  /** Returns how many changes wait for the commit, for `rollback`. */
  get stagedCount(): number {
    return this.#staged.length
  }

  commit(): void {
    for (const change of this.#staged) this.#apply(change)
    this.#staged = []
  }

  /** Drops the changes after the first `count` of those that wait; by default all. */
  rollback(count = 0): void {
    this.#staged.length = count
  }

  #apply(change: Change): void {
    const { epoch } = change
    const rows = this.#logs.get(epoch) ?? []
    switch (change.type) {
      case 'append':
        rows.push(change.row)
        this.#logs.set(epoch, rows)
        this.#rowCount += 1
        this.lastArrival = change.row.arrival
        return
      case 'settle':
        this.#rowCount -= rows.splice(0, change.rows).length
        if (rows.length === 0) this.#logs.delete(epoch)
        return
      case 'forget':
        this.#rowCount -= rows.length
        this.#logs.delete(epoch)
    }
  }
}

function lastOf(row: TailRow | undefined): number {
  return row === undefined ? 0 : row.first + row.count - 1
}
