import { SqlError } from '../sql.ts'

/** Turns an error into a value that can be sent to another thread. The message is for the log, not for users. */
export function describeError(error: unknown): { readonly code: SqlError['code']; readonly message: string } {
  if (error instanceof SqlError) return { code: error.code, message: error.message }
  const message = error instanceof Error ? error.message : String(error)
  const errcode =
    typeof error === 'object' && error !== null && 'errcode' in error ? Number(error.errcode) : 0
  // Extended result codes keep the primary code in the low byte.
  const primary = errcode & 0xff
  if (primary === SQLITE_CONSTRAINT) return { code: 'constraint', message }
  if (primary === SQLITE_BUSY) return { code: 'in-use', message }
  return { code: 'failed', message }
}

const SQLITE_BUSY = 5
const SQLITE_CONSTRAINT = 19
