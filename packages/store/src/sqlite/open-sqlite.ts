import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { CommitDelay } from '../database/commit-delay.ts'
import { type Sql, SqlError, type Statement, type StatementRows } from '../database/sql.ts'
import { type Append, AppendGroup } from './append-group.ts'
import { assertNode } from './assert-node.ts'
import type {
  AppendWork,
  DatabaseReply,
  DatabaseRequest,
  Job,
  JobResult,
  LogWork,
  Work,
} from './thread-messages.ts'

/** A database in a thread of its own. */
export interface SqliteThread extends Sql {
  /** Appends entries to a log. Resolves once they are durable. */
  append(append: Append): Promise<void>
  /** Does other work on the logs that changes them. Resolves once it is durable. */
  writeLog(work: Exclude<LogWork, AppendWork>): Promise<StatementRows>
  /** Does work on the logs that changes nothing. */
  readLog(work: LogWork): Promise<StatementRows>
  /** Makes the file of the database as small as it can be. See `compactDatabase`. */
  compact(): Promise<void>
  /** Copies the database to a new file, while it is written. See `backupDatabase`. */
  backup(path: string): Promise<void>
  /** Throws when the database is closed or broken. */
  assertOpen(): void
  /** Calls the function with the error of every job that fails. There is one such function at a time. */
  onFailure(listener: (error: SqlError) => void): void
}

/** How the thread of a database works. */
export interface SqliteOptions {
  /**
   * Under load, an append waits this long for others, in milliseconds, so that they share one fsync; twice as long while
   * fewer than 100 wait. Without load nothing waits. Default: 10.
   */
  readonly commitWaitMs?: number
}

/**
 * Opens a database in a thread of its own, with WAL, an fsync at every commit and group commit. Resolves when the
 * database is migrated.
 */
export async function openSqlite(path: string, options: SqliteOptions = {}): Promise<SqliteThread> {
  assertNode()
  // The thread is TypeScript in the repository, and JavaScript in the package.
  const thread = new Worker(new URL(`./thread${extname(import.meta.url)}`, import.meta.url), {
    workerData: path,
    // What the thread allocates is used once. Room for more garbage would only be memory that is never given back.
    resourceLimits: { maxYoungGenerationSizeMb },
  })
  return openInThread(thread, options)
}

/** A thread that serves one database: a worker, or one end of a channel to a thread that serves several. */
export interface DatabasePort {
  postMessage(request: DatabaseRequest): void
  on(event: 'message', listener: (reply: DatabaseReply) => void): unknown
  /** The thread broke. */
  on(event: 'error', listener: (error: Error) => void): unknown
  /** The database is closed. It comes after everything else. */
  on(event: 'exit', listener: () => void): unknown
}

/** Takes over a database that a thread is about to open with `serveDatabase`. Resolves when it is migrated. */
export async function openInThread(thread: DatabasePort, options: SqliteOptions = {}): Promise<SqliteThread> {
  const database = new DatabaseThread(thread, options)
  await database.opened
  return database
}

const maxYoungGenerationSizeMb = 8

/** Fewer appends than this wait longer for others. */
const enoughAppends = 100

interface Waiter {
  /** A backup fails because of its own disk. That says nothing about the database. */
  readonly isBackup?: true
  readonly resolve: (rows: StatementRows) => void
  readonly reject: (error: Error) => void
}

/** Sends jobs to the thread in groups, and gives each caller its own result. */
class DatabaseThread implements SqliteThread {
  readonly opened: Promise<void>
  readonly #thread: DatabasePort
  readonly #commitWaitMs: number
  readonly #exited = Promise.withResolvers<void>()
  readonly #waiters = new Map<number, Waiter>()
  #lastId = 0
  /** Jobs that were not sent yet. They must not wait. */
  #jobs: Job[] = []
  /** Appends that were not sent yet. They may wait for others. */
  #appends = new AppendGroup()
  readonly #delay: CommitDelay
  #timer: NodeJS.Timeout | undefined
  #immediate: NodeJS.Immediate | undefined
  /** Why no job is taken any more. */
  #end: SqlError | undefined
  #onFailure: (error: SqlError) => void = () => undefined

  constructor(thread: DatabasePort, { commitWaitMs = 10 }: SqliteOptions) {
    this.#thread = thread
    this.#commitWaitMs = commitWaitMs
    this.#delay = new CommitDelay({ waitMs: commitWaitMs, periodMs: 2 * commitWaitMs })
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.opened = promise
    thread.on('message', reply => {
      if (reply.type === 'jobs') for (const result of reply.results) this.#settle(result)
      else if (reply.type === 'open') resolve()
      // Under `node --watch`, Node itself sends other messages from the thread, about the files that it has loaded.
      else if (reply.type === 'broken') fail(new SqlError(reply.code, reply.message))
    })
    const fail = (error: SqlError) => {
      reject(error)
      this.#fail(error)
    }
    thread.on('error', error => fail(new SqlError('failed', `The database thread broke: ${error.message}`)))
    thread.on('exit', () => {
      fail(closedError())
      this.#exited.resolve()
    })
  }

  write(statements: readonly Statement[]): Promise<StatementRows> {
    return this.#add('write', statements)
  }

  read(statements: readonly Statement[]): Promise<StatementRows> {
    return this.#add('read', statements)
  }

  append(append: Append): Promise<void> {
    if (this.#end !== undefined) return Promise.reject(this.#end)
    const appended = this.#appends.add(append)
    this.#schedule()
    return appended
  }

  writeLog(work: Exclude<LogWork, AppendWork>): Promise<StatementRows> {
    return this.#add('write', work)
  }

  readLog(work: LogWork): Promise<StatementRows> {
    return this.#add('read', work)
  }

  async compact(): Promise<void> {
    await this.#add('alone', { type: 'compact' })
  }

  async backup(path: string): Promise<void> {
    this.assertOpen()
    this.#lastId += 1
    const id = this.#lastId
    const copied = new Promise<StatementRows>((resolve, reject) =>
      this.#waiters.set(id, { isBackup: true, resolve, reject }),
    )
    this.#post({ type: 'backup', id, path })
    await copied
  }

  assertOpen(): void {
    if (this.#end !== undefined) throw this.#end
  }

  onFailure(listener: (error: SqlError) => void): void {
    this.#onFailure = listener
  }

  async close(): Promise<void> {
    this.#send()
    // Later jobs must not reach the thread, because the file is closed there.
    this.#end ??= closedError()
    this.#post({ type: 'close' })
    await this.#exited.promise
  }

  #add(type: Job['type'], work: Work): Promise<StatementRows> {
    if (this.#end !== undefined) return Promise.reject(this.#end)
    const added = new Promise<StatementRows>((resolve, reject) =>
      this.#queue({ type, work }, { resolve, reject }),
    )
    this.#schedule()
    return added
  }

  #queue(job: Omit<Job, 'id'>, waiter: Waiter): void {
    this.#lastId += 1
    this.#jobs.push({ ...job, id: this.#lastId })
    this.#waiters.set(this.#lastId, waiter)
  }

  /** Sends the jobs at the end of this turn of the event loop. If only appends wait, they may wait for others. */
  #schedule(): void {
    if (this.#immediate !== undefined) return
    const now = performance.now()
    const isUrgent = this.#jobs.length > 0
    if (!isUrgent) this.#delay.noteAppend(now)
    const waitMs = isUrgent ? 0 : this.#delay.leftMs(now)
    if (waitMs > 0) this.#timer ??= setTimeout(() => this.#sendOrWaitOnceMore(), waitMs)
    else this.#immediate = setImmediate(() => this.#send())
  }

  #sendOrWaitOnceMore(): void {
    this.#timer = undefined
    if (this.#appends.count < enoughAppends) this.#timer = setTimeout(() => this.#send(), this.#commitWaitMs)
    else this.#send()
  }

  #send(): void {
    clearTimeout(this.#timer)
    clearImmediate(this.#immediate)
    this.#timer = undefined
    this.#immediate = undefined
    if (this.#end !== undefined) return
    if (this.#appends.count > 0) {
      this.#queue({ type: 'write', work: this.#appends.work }, this.#appends)
      this.#appends = new AppendGroup()
    }
    if (this.#jobs.length === 0) return
    const jobs = this.#jobs
    this.#jobs = []
    this.#delay.noteCommit(performance.now())
    this.#post({ type: 'jobs', jobs })
  }

  #post(request: DatabaseRequest): void {
    this.#thread.postMessage(request)
  }

  #settle(result: JobResult): void {
    const waiter = this.#waiters.get(result.id)
    this.#waiters.delete(result.id)
    if (result.type === 'done') return waiter?.resolve(result.rows)
    const error = new SqlError(result.code, result.message)
    if (waiter?.isBackup !== true) this.#onFailure(error)
    waiter?.reject(error)
  }

  #fail(error: SqlError): void {
    this.#end ??= error
    for (const { reject } of [...this.#waiters.values(), this.#appends]) reject(error)
    this.#waiters.clear()
  }
}

function closedError(): SqlError {
  return new SqlError('closed', 'The database is closed.')
}
