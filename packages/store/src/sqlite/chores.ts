import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import type { LogTables } from './log-tables.ts'
import type { Prepare } from './statements.ts'

/** When free pages are given back to the disk, and how fast. A page has 4 KB. */
export interface FreePageOptions {
  /**
   * Fewer free pages than this are kept, because new rows will use them soon. Default: 4,096, which is 16 MB. The tail
   * alone frees and fills up to about 14 MB again and again.
   */
  readonly minFreePages?: number
  /** How many free pages are left for the rows that come next. Default: 1,024, which is 4 MB. */
  readonly keptFreePages?: number
  /** How long one slice takes, in milliseconds. Other jobs wait meanwhile. Default: 2. */
  readonly sliceMs?: number
}

/**
 * Gives the free pages of a database file back to the disk, in slices. Deleted rows leave free pages in the file. New rows
 * use them, so this begins only when more than a quarter of the file is free.
 *
 * Files of earlier versions cannot give pages back (`auto_vacuum` is off). `compactDatabase` changes that.
 */
export class FreePages {
  readonly #database: DatabaseSync
  readonly #options: Required<FreePageOptions>
  readonly #canGiveBack: boolean
  #isWaiting = false
  /** Whether pages were given back since the last checkpoint. The file gets shorter only at a checkpoint. */
  #mustCheckpoint = false

  constructor(database: DatabaseSync, options: FreePageOptions = {}) {
    this.#database = database
    this.#options = { minFreePages: 4_096, keptFreePages: 1_024, sliceMs: 2, ...options }
    this.#canGiveBack = this.#pragma('auto_vacuum') === incremental
  }

  /** Whether there are pages to give back now. */
  get isWaiting(): boolean {
    return this.#isWaiting
  }

  /** Looks whether enough of the file is free to give pages back. */
  look(): void {
    if (!this.#canGiveBack) return
    const free = this.#pragma('freelist_count')
    this.#isWaiting = free > this.#options.minFreePages && free > this.#pragma('page_count') / 4
  }

  /** Gives back one slice of the pages, in the transaction that is open. */
  giveBack(): void {
    const { keptFreePages, sliceMs } = this.#options
    const end = performance.now() + sliceMs
    let free: number
    do {
      this.#database.exec(`pragma incremental_vacuum(${pagesAtATime})`)
      free = this.#pragma('freelist_count')
    } while (free > keptFreePages && performance.now() < end)
    this.#isWaiting = free > keptFreePages
    this.#mustCheckpoint = true
  }

  /** Makes the file shorter if pages were given back. Must be called outside of a transaction. */
  shortenFile(): void {
    if (!this.#mustCheckpoint || this.#isWaiting) return
    this.#database.exec('pragma wal_checkpoint(passive)')
    this.#mustCheckpoint = false
  }

  #pragma(name: string): number {
    return Number(this.#database.prepare(`pragma ${name}`).get()?.[name])
  }
}

/** The value of `pragma auto_vacuum` for files that give pages back on request. */
const incremental = 2
/** Few enough to look at the clock often. */
const pagesAtATime = 32

/** The logs of a database, and the chores on them that are not done yet. */
export interface OpenLogs {
  readonly logs: LogTables
  readonly chores: LogChores
}

/**
 * Makes the file of a database as small as it can be: does all chores, copies the whole file without its free pages, and
 * empties the -wal file. Afterwards the file can give pages back by itself. Takes long, and nothing else can run
 * meanwhile. If the process ends in the middle, nothing is lost.
 *
 * Needs room in the folder of the database for two copies of its contents.
 */
export function compactDatabase(database: DatabaseSync, { logs, chores }: OpenLogs): void {
  chores.settleAll()
  while (chores.isWaiting) doSlice(database, { logs, chores })
  // The first copy would else be in a folder for temporary files. There is often too little room.
  const folder = dirname(database.location() ?? '.')
  database.exec(`pragma temp_store_directory = '${folder.replaceAll("'", "''")}'`)
  try {
    // Takes effect when the file is copied.
    database.exec('pragma auto_vacuum = incremental')
    database.exec('vacuum')
    database.exec('pragma wal_checkpoint(truncate)')
  } finally {
    database.exec("pragma temp_store_directory = ''")
  }
}

function doSlice(database: DatabaseSync, { logs, chores }: OpenLogs): void {
  database.exec('begin immediate')
  try {
    chores.doSlice()
    database.exec('commit')
    logs.tail.commit()
  } catch (error) {
    if (database.isTransaction) database.exec('rollback')
    logs.tail.rollback()
    throw error
  }
}

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
