import type { DatabaseSync } from 'node:sqlite'
import { SqlError, type StatementRows } from '../database/sql.ts'
import { type ChoreOptions, compactDatabase, type FreePageOptions, FreePages, LogChores } from './chores.ts'
import { describeError } from './describe-error.ts'
import { LogTables } from './log-tables.ts'
import { type Prepare, prepareOnce, runStatement } from './statements.ts'
import type { Job, JobResult, Work } from './thread-messages.ts'

/**
 * When no entry was appended for this time, in milliseconds, the entries in the tail are moved to their own layout, and
 * free pages are looked for.
 */
const quietMs = 1_000

/** How long reads may go on while writes wait, in milliseconds. */
const maxReadMs = 4

/**
 * Runs the jobs of all chats. All jobs that wait run in one transaction, with one fsync. A job that fails does not undo
 * the others. Results are sent after the commit: first those of the writes, then those of the reads.
 */
export class GroupCommit {
  readonly #database: DatabaseSync
  readonly #prepare: Prepare
  readonly #logs: LogTables
  readonly #chores: LogChores
  readonly #freePages: FreePages
  readonly #reply: (results: readonly JobResult[]) => void
  #waiting: Job[] = []
  #next: NodeJS.Immediate | undefined
  #isClosed = false
  #isHeld = false
  /** Chores have failed, for example because the disk is full. They are tried again later. */
  #isPaused = false
  /** Something was written since the last look at the free pages. */
  #hasWritten = false
  #quiet: NodeJS.Timeout | undefined

  constructor(
    database: DatabaseSync,
    reply: (results: readonly JobResult[]) => void,
    options: ChoreOptions & FreePageOptions = {},
  ) {
    this.#database = database
    this.#reply = reply
    this.#prepare = prepareOnce(database)
    this.#logs = new LogTables(this.#prepare)
    this.#chores = new LogChores(this.#prepare, this.#logs, options)
    this.#freePages = new FreePages(database, options)
    this.#rest()
  }

  add(jobs: readonly Job[]): void {
    for (const job of jobs) this.#waiting.push(job)
    this.#schedule()
  }

  /**
   * Does work that must not meet a transaction. Meanwhile jobs run only when the work calls `drain`, or after its end.
   */
  async whileHeld(work: (drain: () => void) => Promise<void>): Promise<void> {
    this.#isHeld = true
    clearImmediate(this.#next)
    this.#next = undefined
    try {
      await work(() => {
        if (!this.#isClosed) this.drain()
      })
    } finally {
      this.#isHeld = false
      if (!this.#isClosed) this.#schedule()
    }
  }

  /** Runs what waits, and does nothing more afterwards. */
  close(): void {
    this.#isClosed = true
    this.drain()
    clearTimeout(this.#quiet)
    clearImmediate(this.#next)
  }

  /** Runs the jobs that wait, and a slice of the chores. */
  drain(): void {
    const jobs = this.#waiting
    this.#waiting = []
    const writes = jobs.filter(job => job.type === 'write')
    const results = this.#commit(writes)
    if (results.length > 0) this.#reply(results)
    this.#read(jobs.filter(job => job.type !== 'write'))
    this.#rest()
  }

  /** Runs jobs that read, for a few milliseconds. The rest waits for the next turn, after the writes that come meanwhile. */
  #read(jobs: readonly Job[]): void {
    const results: JobResult[] = []
    const end = performance.now() + maxReadMs
    for (const job of jobs) {
      if (performance.now() > end && !this.#isClosed) break
      results.push(this.#attempt(job.id, () => this.#perform(job.work)))
    }
    if (results.length > 0) this.#reply(results)
    if (results.length === jobs.length) return
    this.#waiting = [...jobs.slice(results.length), ...this.#waiting]
    this.#schedule()
  }

  /** Goes on with the chores, now or when no entries come any more. */
  #rest(): void {
    if (this.#isClosed) return
    if (this.#isPaused) this.#startQuietTimer()
    else if (this.#hasChores) this.#schedule()
    else if (this.#logs.tail.rowCount > 0 || this.#hasWritten) this.#startQuietTimer()
  }

  get #hasChores(): boolean {
    return this.#chores.isWaiting || this.#freePages.isWaiting
  }

  #startQuietTimer(): void {
    const { lastArrival } = this.#logs.tail
    this.#quiet ??= setTimeout(() => {
      this.#quiet = undefined
      this.#isPaused = false
      if (lastArrival === this.#logs.tail.lastArrival && !this.#isHeld) this.#useQuiet()
      this.#rest()
    }, quietMs)
  }

  #useQuiet(): void {
    this.#chores.settleAll()
    this.#hasWritten = false
    // When this fails, for example because the disk is full, it is tried again after the next write.
    this.#attempt(0, () => {
      this.#freePages.look()
      this.#freePages.shortenFile()
      return []
    })
  }

  #schedule(): void {
    if (this.#isHeld) return
    this.#next ??= setImmediate(() => {
      this.#next = undefined
      this.drain()
    })
  }

  #commit(jobs: readonly Job[]): JobResult[] {
    const isTidying = jobs.some(({ work }) => 'type' in work && tidying.has(work.type))
    const hasChores = this.#hasChores && !isTidying && !this.#isPaused
    if (jobs.length === 0 && !hasChores) return []
    try {
      this.#prepare('begin immediate').run()
      const results = jobs.map(job => this.#attemptWrite(job))
      if (hasChores) this.#doChores()
      this.#prepare('commit').run()
      this.#logs.tail.commit()
      this.#hasWritten = true
      return results
    } catch (error) {
      // The commit failed, for example because the disk is full. So none of these jobs has happened.
      if (this.#database.isTransaction) this.#database.exec('rollback')
      this.#logs.tail.rollback()
      this.#isPaused = hasChores
      return jobs.map(({ id }) => ({ type: 'failed', id, ...describeError(error) }))
    }
  }

  #attemptWrite({ id, work }: Job): JobResult {
    // Most jobs are appends. They fail only when the whole transaction does, so they do without a savepoint.
    if ('type' in work && work.type === 'append') return { type: 'done', id, rows: this.#logs.perform(work) }
    return this.#attemptInSavepoint(id, () => this.#perform(work))
  }

  /** Does a slice of the chores, in the transaction of the jobs. When it fails, the jobs do not. */
  #doChores(): void {
    const { type } = this.#attemptInSavepoint(0, () => {
      this.#doSlice()
      return []
    })
    this.#isPaused = type === 'failed'
  }

  #doSlice(): void {
    if (!this.#chores.isWaiting) return this.#freePages.giveBack()
    const { hasRemovals } = this.#logs
    this.#chores.doSlice()
    // On a busy server it may never be quiet. So this is the time to look.
    if (hasRemovals && !this.#logs.hasRemovals) this.#freePages.look()
  }

  #attemptInSavepoint(id: number, perform: () => StatementRows): JobResult {
    this.#database.exec('savepoint job')
    const { stagedCount } = this.#logs.tail
    const result = this.#attempt(id, perform)
    if (result.type === 'failed') {
      // On a full disk, SQLite itself undoes the whole transaction. The savepoint is gone with it.
      if (!this.#database.isTransaction) throw new SqlError(result.code, result.message)
      this.#database.exec('rollback to job')
      this.#logs.tail.rollback(stagedCount)
    }
    this.#database.exec('release job')
    return result
  }

  #attempt(id: number, perform: () => StatementRows): JobResult {
    try {
      return { type: 'done', id, rows: perform() }
    } catch (error) {
      return { type: 'failed', id, ...describeError(error) }
    }
  }

  #perform(work: Work): StatementRows {
    if (!('type' in work)) return work.map(statement => runStatement(this.#prepare, statement))
    if (work.type !== 'compact') return this.#logs.perform(work)
    compactDatabase(this.#database, { logs: this.#logs, chores: this.#chores })
    return []
  }
}

/** Work that moves or deletes entries itself, so that no chore may do it at the same time. */
const tidying: ReadonlySet<string> = new Set(['trim', 'remove'])
