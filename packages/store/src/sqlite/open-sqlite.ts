import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { type Sql, SqlError, type Statement } from '../sql.ts'
import { AppendRate } from './append-rate.ts'
import { assertNode } from './assert-node.ts'
import type { Job, JobResult, LogWork, Rows, ThreadReply, ThreadRequest, Work } from './thread-messages.ts'

/** A database in a thread of its own. */
export interface SqliteThread extends Sql {
  /** Does work on the logs that changes them. Resolves once it is durable. */
  writeLog(work: LogWork): Promise<Rows>
  /** Does work on the logs that changes nothing. */
  readLog(work: LogWork): Promise<Rows>
  /** Makes the file of the database as small as it can be. See `compactDatabase`. */
  compact(): Promise<void>
  /** Throws when the database is closed or broken. */
  assertOpen(): void
  /** Calls the function with the error of every job that fails. There is one such function at a time. */
  onFailure(listener: (error: SqlError) => void): void
}

/** How the thread of a database works. */
export interface SqliteOptions {
  /**
   * While many appends come, they wait for each other for so long, in milliseconds, and share one commit. With few of
   * them, nothing waits. Default: 10.
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
  })
  const database = new DatabaseThread(thread, options)
  await database.opened
  return database
}

interface Waiter {
  readonly resolve: (rows: Rows) => void
  readonly reject: (error: Error) => void
}

/** Sends jobs to the thread in groups, and gives each caller its own result. */
class DatabaseThread implements SqliteThread {
  readonly opened: Promise<void>
  readonly #thread: Worker
  readonly #commitWaitMs: number
  readonly #exited = Promise.withResolvers<void>()
  readonly #waiters = new Map<number, Waiter>()
  #lastId = 0
  /** Jobs that were not sent yet. */
  #jobs: Job[] = []
  /** Whether one of them must not wait. */
  #isUrgent = false
  readonly #rate: AppendRate
  #timer: NodeJS.Timeout | undefined
  #immediate: NodeJS.Immediate | undefined
  #lastSent = Number.NEGATIVE_INFINITY
  /** Why no job is taken any more. */
  #end: SqlError | undefined
  #onFailure: (error: SqlError) => void = () => undefined

  constructor(thread: Worker, { commitWaitMs = 10 }: SqliteOptions) {
    this.#thread = thread
    this.#commitWaitMs = commitWaitMs
    this.#rate = new AppendRate(commitWaitMs)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.opened = promise
    thread.on('message', (reply: ThreadReply) => {
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

  write(statements: readonly Statement[]): Promise<Rows> {
    return this.#add('write', statements)
  }

  read(statements: readonly Statement[]): Promise<Rows> {
    return this.#add('read', statements)
  }

  writeLog(work: LogWork): Promise<Rows> {
    return this.#add('write', work)
  }

  readLog(work: LogWork): Promise<Rows> {
    return this.#add('read', work)
  }

  async compact(): Promise<void> {
    await this.#add('alone', { type: 'compact' })
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

  #add(type: Job['type'], work: Work): Promise<Rows> {
    if (this.#end !== undefined) return Promise.reject(this.#end)
    this.#lastId += 1
    const id = this.#lastId
    this.#jobs.push({ type, id, work })
    this.#isUrgent ||= !('type' in work && work.type === 'append')
    this.#schedule()
    return new Promise((resolve, reject) => this.#waiters.set(id, { resolve, reject }))
  }

  /** Sends the jobs at the end of this turn of the event loop. Appends wait longer while many of them come. */
  #schedule(): void {
    if (this.#immediate !== undefined) return
    const now = performance.now()
    if (!this.#isUrgent) this.#rate.note(now)
    const waitMs = this.#isUrgent || !this.#rate.isBusy ? 0 : this.#lastSent + this.#commitWaitMs - now
    if (waitMs > 0) {
      this.#timer ??= setTimeout(() => this.#send(), waitMs)
      return
    }
    this.#immediate = setImmediate(() => this.#send())
  }

  #send(): void {
    clearTimeout(this.#timer)
    clearImmediate(this.#immediate)
    this.#timer = undefined
    this.#immediate = undefined
    if (this.#jobs.length === 0 || this.#end !== undefined) return
    const jobs = this.#jobs
    this.#jobs = []
    this.#isUrgent = false
    this.#lastSent = performance.now()
    this.#post({ type: 'jobs', jobs })
  }

  #post(request: ThreadRequest): void {
    this.#thread.postMessage(request)
  }

  #settle(result: JobResult): void {
    const waiter = this.#waiters.get(result.id)
    this.#waiters.delete(result.id)
    if (result.type === 'done') return waiter?.resolve(result.rows)
    const error = new SqlError(result.code, result.message)
    this.#onFailure(error)
    waiter?.reject(error)
  }

  #fail(error: SqlError): void {
    this.#end ??= error
    for (const { reject } of this.#waiters.values()) reject(error)
    this.#waiters.clear()
  }
}

function closedError(): SqlError {
  return new SqlError('closed', 'The database is closed.')
}
