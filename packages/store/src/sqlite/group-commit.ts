import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { SqlError, type SqlRow, type Statement } from '../sql.ts'
import { describeError } from './describe-error.ts'
import type { Job, ThreadReply } from './thread-messages.ts'

type Rows = readonly (readonly SqlRow[])[]

/**
 * Runs the jobs of all chats. All jobs that wait run in one transaction, with one fsync. Each job has its own savepoint,
 * so a job that fails does not undo the others. Replies are sent after the commit.
 */
export class GroupCommit {
  readonly #database: DatabaseSync
  readonly #reply: (reply: ThreadReply) => void
  readonly #prepared = new Map<string, StatementSync>()
  #waiting: Job[] = []

  constructor(database: DatabaseSync, reply: (reply: ThreadReply) => void) {
    this.#database = database
    this.#reply = reply
  }

  add(job: Job): void {
    this.#waiting.push(job)
    if (this.#waiting.length === 1) setImmediate(() => this.drain())
  }

  drain(): void {
    const jobs = this.#waiting
    this.#waiting = []
    this.#commit(jobs.filter(job => job.type === 'write'))
    for (const job of jobs) if (job.type === 'read') this.#reply(this.#attempt(job))
  }

  #commit(jobs: readonly Job[]): void {
    if (jobs.length === 0) return
    let replies: readonly ThreadReply[]
    try {
      this.#database.exec('begin immediate')
      replies = jobs.map(job => this.#attemptInSavepoint(job))
      this.#database.exec('commit')
    } catch (error) {
      // The commit failed, for example because the disk is full. So none of these jobs has happened.
      if (this.#database.isTransaction) this.#database.exec('rollback')
      replies = jobs.map(({ id }) => ({ type: 'failed', id, ...describeError(error) }))
    }
    for (const reply of replies) this.#reply(reply)
  }

  #attemptInSavepoint(job: Job): ThreadReply {
    this.#database.exec('savepoint job')
    const reply = this.#attempt(job)
    if (reply.type === 'failed') this.#database.exec('rollback to job')
    this.#database.exec('release job')
    return reply
  }

  #attempt({ id, statements }: Job): ThreadReply {
    try {
      const rows: Rows = statements.map(statement => this.#run(statement))
      return { type: 'done', id, rows }
    } catch (error) {
      return { type: 'failed', id, ...describeError(error) }
    }
  }

  #run({ sql, sets, mustChange }: Statement): readonly SqlRow[] {
    const prepared = this.#prepare(sql)
    const rows: SqlRow[] = []
    let changes = 0
    for (const parameters of sets) {
      if (prepared.columns().length > 0) {
        const found = prepared.all(...parameters)
        for (const row of found) rows.push(row)
        changes += found.length
      } else {
        changes += Number(prepared.run(...parameters).changes)
      }
    }
    if (mustChange === true && changes === 0) {
      throw new SqlError(
        'no-effect',
        'The transaction was undone: a statement that had to change a row did not.',
      )
    }
    return rows
  }

  #prepare(sql: string): StatementSync {
    const prepared = this.#prepared.get(sql) ?? this.#database.prepare(sql)
    this.#prepared.set(sql, prepared)
    return prepared
  }
}
