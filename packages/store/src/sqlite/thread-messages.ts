import type { SqlError, SqlRow, Statement } from '../sql.ts'

// What the thread of the database and its owner send each other.

/** What is sent to the thread of the database. */
export type ThreadRequest = Job | { readonly type: 'close' }

/** Statements that take effect together, or not at all. */
export interface Job {
  readonly type: 'write' | 'read'
  readonly id: number
  readonly statements: readonly Statement[]
}

/** What the thread reports: the database is open, a job is done, a job failed, or the database cannot be opened. */
export type ThreadReply =
  | { readonly type: 'open' }
  | { readonly type: 'done'; readonly id: number; readonly rows: readonly (readonly SqlRow[])[] }
  | {
      readonly type: 'failed'
      readonly id: number
      readonly code: SqlError['code']
      readonly message: string
    }
  | { readonly type: 'broken'; readonly code: SqlError['code']; readonly message: string }
