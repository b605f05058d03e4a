import { SqlError } from '../database/sql.ts'

/** Turns an error into a value that can be sent to another thread. The message is for the log, not for users. */
export function describeError(error: unknown): { readonly code: SqlError['code']; readonly message: string } {
  if (error instanceof SqlError) return { code: error.code, message: error.message }
  const message = error instanceof Error ? error.message : String(error)
  const errcode =
    typeof error === 'object' && error !== null && 'errcode' in error ? Number(error.errcode) : 0
  // Extended result codes keep the primary code in the low byte.
  return { code: codes.get(errcode & 0xff) ?? 'failed', message }
}

// The primary result codes of SQLite: https://www.sqlite.org/rescode.html
const codes: ReadonlyMap<number, SqlError['code']> = new Map([
  // SQLITE_BUSY
  [5, 'in-use'],
  // SQLITE_READONLY, SQLITE_IOERR, SQLITE_CANTOPEN
  [8, 'unwritable'],
  [10, 'unwritable'],
  [14, 'unwritable'],
  // SQLITE_CORRUPT, SQLITE_NOTADB
  [11, 'damaged'],
  [26, 'damaged'],
  // SQLITE_FULL
  [13, 'full'],
  // SQLITE_CONSTRAINT
  [19, 'constraint'],
])
