import type { LogName } from '@throughline/log'
import type { SqlError, Statement, StatementRows } from '../database/sql.ts'

// What the thread of the database and its owner send each other.

/** What is sent to the thread of the database: all requests of one turn of the event loop, in order. */
export type DatabaseRequest =
  | { readonly type: 'jobs'; readonly jobs: readonly Job[] }
  /** Copies the database to a new file. The reply is a job's result with this id. */
  | { readonly type: 'backup'; readonly id: number; readonly path: string }
  | { readonly type: 'close' }

/** Work for the thread. A `write` takes effect as a whole, or not at all. `alone` runs outside of a transaction. */
export interface Job {
  readonly type: 'write' | 'read' | 'alone'
  readonly id: number
  readonly work: Work
}

/** What a job does. */
export type Work = readonly Statement[] | LogWork | CompactWork

/** Makes the file of the database as small as it can be. Runs alone. */
export interface CompactWork {
  readonly type: 'compact'
}

/** Work on the logs. The result of each has the form of rows, as that of statements. */
export type LogWork =
  | AppendWork
  /** Takes over the log, and creates it if it does not exist. Returns its extent and the fence. */
  | { readonly type: 'acquire'; readonly log: LogName; readonly newEpoch: string }
  /** Creates the log if it does not exist. Returns its extent and the fence. */
  | { readonly type: 'open'; readonly log: LogName; readonly newEpoch: string }
  /** Returns the extent and the fence of a log, if it exists. */
  | { readonly type: 'find'; readonly log: LogName }
  | ReadWork
  /** Moves the entries of a log from the tail to their own layout. */
  | { readonly type: 'settle'; readonly epoch: string }
  /** Forgets the entries up to the number `upTo`. */
  | { readonly type: 'trim'; readonly log: LogName; readonly upTo: number }
  /** Removes a log with its entries. */
  | { readonly type: 'remove'; readonly log: LogName }

/**
 * Appends entries to logs: the fields of each `Append`, as columns. Whoever sends this has checked the leases and the
 * numbers.
 */
export interface AppendWork {
  readonly type: 'append'
  readonly epochs: readonly string[]
  readonly firsts: readonly number[]
  readonly counts: readonly number[]
  readonly ats: readonly number[]
  readonly bodies: readonly string[]
}

/** Reads the entries after a number. */
export interface ReadWork {
  readonly type: 'read-entries'
  readonly epoch: string
  readonly after: number
  readonly limit: number
}

/** What the thread reports: the database is open, some jobs are done or have failed, or it cannot be opened. */
export type DatabaseReply =
  | { readonly type: 'open' }
  | { readonly type: 'jobs'; readonly results: readonly JobResult[] }
  | { readonly type: 'broken'; readonly code: SqlError['code']; readonly message: string }

/** How a job went. */
export type JobResult =
  | { readonly type: 'done'; readonly id: number; readonly rows: StatementRows }
  | {
      readonly type: 'failed'
      readonly id: number
      readonly code: SqlError['code']
      readonly message: string
    }
