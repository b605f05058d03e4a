import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import type { LogChores } from './log-chores.ts'
import type { LogTables } from './log-tables.ts'

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
