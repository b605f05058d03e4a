import { DatabaseError } from 'pg'
import { SqlError } from '../database/sql.ts'

/** Returns the error of a statement as an `SqlError`. The message is for the log, not for users. */
export function postgresError(error: unknown): SqlError {
  if (error instanceof SqlError) return error
  if (isConnectionLost(error))
    return new SqlError('unreachable', `Postgres does not respond: ${textOf(error)}`)
  return new SqlError(codeOf(error), textOf(error))
}

/**
 * Returns whether an error means that the connection is gone. It comes from the socket, or it is the last thing that the
 * server says before it hangs up.
 */
export function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof DatabaseError)) return !(error instanceof SqlError || error instanceof TypeError)
  if (error.severity === 'FATAL' || error.severity === 'PANIC') return true
  return lost.test(error.code ?? '')
}

/** Returns whether the database chose this transaction to end a conflict with another one. Repeating it helps. */
export function isConflict(error: unknown): boolean {
  return error instanceof DatabaseError && conflicts.includes(error.code ?? '')
}

/**
 * Returns whether the server refuses a statement that it may take a moment later. The transaction of the statement had no
 * effect. A standby refuses all writes until it is promoted, and cannot say which timeline it writes.
 */
export function isPassing(error: unknown): boolean {
  return error instanceof DatabaseError && (isConflict(error) || passing.includes(error.code ?? ''))
}

/**
 * Returns whether a prepared statement has to be prepared again, because another program has changed its tables. The
 * driver cannot do that on the same connection.
 */
export function isStalePlan(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === '0A000' && error.routine === 'RevalidateCachedQuery'
}

// The codes of Postgres: https://www.postgresql.org/docs/current/errcodes-appendix.html
// serialization_failure, deadlock_detected
const conflicts = ['40001', '40P01']
// read_only_sql_transaction, object_not_in_prerequisite_state ("recovery is in progress"), query_canceled (also by
// `statement_timeout`), lock_not_available, out_of_memory
const passing = ['25006', '55000', '57014', '55P03', '53200']
// Connection exceptions, too many connections, and a server that stops, crashes or starts.
const lost = /^(?:08|53300|57P0)/

function codeOf(error: unknown): SqlError['code'] {
  const code = error instanceof DatabaseError ? (error.code ?? '') : ''
  return codes.find(([pattern]) => pattern.test(code))?.[1] ?? 'failed'
}

const codes: readonly (readonly [RegExp, SqlError['code']])[] = [
  [/^23/, 'constraint'],
  // Division by zero: only the check of `mustChange` divides. See `postgresText`.
  [/^22012$/, 'no-effect'],
  // disk_full
  [/^53100$/, 'full'],
  // read_only_sql_transaction, insufficient_privilege, io_error
  [/^(?:25006|42501|58030)$/, 'unwritable'],
  // object_not_in_prerequisite_state, query_canceled, lock_not_available, out_of_memory, serialization_failure, deadlock_detected
  [/^(?:55000|57014|55P03|53200|40001|40P01)$/, 'busy'],
  // Text that is no JSON where JSON must be, data_corrupted, index_corrupted
  [/^(?:22P02|22P05|XX001|XX002)$/, 'damaged'],
]

function textOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(textOf).join('; ')
  return error instanceof Error ? error.message : String(error)
}
