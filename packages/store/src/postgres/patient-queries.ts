import { retry } from '@throughline/protocol/internal'
import type { Pool } from 'pg'
import { SqlError, type SqlRow } from '../sql.ts'
import { endAbandonedQuery } from './abandoned-appends.ts'
import { isConflict, isConnectionLost, isStalePlan, postgresError } from './postgres-error.ts'
import type { PreparedQuery } from './prepared-query.ts'

/** The part of a connection pool that the log needs. */
export type QueryPool = Pick<Pool, 'query'>

/** Runs statements on pooled connections. While the server is away, statements wait. */
export interface PatientQueries {
  /**
   * Runs a statement that may take effect twice without harm. Repeats it while the server is away. Throws an `SqlError`:
   * `unreachable` when that lasts longer than `maxWaitMs`, `closed` after `close`.
   */
  run(query: PreparedQuery): Promise<readonly SqlRow[]>
  /** Runs a statement once. Throws the error of `pg`. */
  once(query: PreparedQuery): Promise<readonly SqlRow[]>
  /**
   * Does some work, and does it again while it fails because the server is away. `startedAt` is the time from which
   * `maxWaitMs` counts, by `performance.now()`. Throws as `run` does.
   */
  patiently<Result>(work: () => Promise<Result>, startedAt?: number): Promise<Result>
  /** Ends all waiting. */
  close(): void
}

/** How long statements wait for the server. */
export interface PatienceOptions {
  /** How long a statement is repeated while the server is away, in milliseconds. Default: 30,000. */
  readonly maxWaitMs?: number
  /** After which time without a result a connection is taken for lost, in milliseconds. Default: 10,000. */
  readonly timeoutMs?: number
}

/** Returns queries on a pool. */
export function createPatientQueries(
  pool: QueryPool,
  { maxWaitMs = 30_000, timeoutMs = 10_000 }: PatienceOptions = {},
): PatientQueries {
  const closing = new AbortController()
  const { signal } = closing

  async function once({ name, text, values }: PreparedQuery): Promise<readonly SqlRow[]> {
    if (signal.aborted) throw closedError()
    const query = { name, text, values: [...values], query_timeout: timeoutMs }
    const { rows } = await pool.query<SqlRow>(query)
    return rows
  }

  /** An append that was cut off may block this statement. Nobody waits for this, and it may fail. */
  function endAbandoned(): void {
    once(endAbandonedQuery(timeoutMs / 2)).catch(() => undefined)
  }

  async function patiently<Result>(
    work: () => Promise<Result>,
    startedAt = performance.now(),
  ): Promise<Result> {
    const onFailure = (error: unknown, delayMs: number): number => {
      if (!mayPass(error)) throw error instanceof Error && isOwn(error) ? error : postgresError(error)
      if (performance.now() - startedAt + delayMs > maxWaitMs) throw unreachableError(error, maxWaitMs)
      if (isConnectionLost(error)) endAbandoned()
      return delayMs
    }
    const done = await retry(async () => ({ result: await work() }), {
      firstMs: 20,
      maxMs: 1_000,
      signal,
      onFailure,
    })
    if (done === undefined) throw closedError()
    return done.result
  }

  return { once, patiently, run: query => patiently(() => once(query)), close: () => closing.abort() }
}

/** Returns whether the same statement may succeed later. */
function mayPass(error: unknown): boolean {
  if (error instanceof Error && isOwn(error)) return false
  return isConnectionLost(error) || isConflict(error) || isStalePlan(error)
}

/** Errors of this program, not of the database or of the connection to it. */
function isOwn(error: Error): boolean {
  return ['SqlError', 'LogError', 'TypeError', 'RangeError'].includes(error.name)
}

function unreachableError(error: unknown, maxWaitMs: number): SqlError {
  const reason = postgresError(error).message
  return new SqlError(
    'unreachable',
    `Postgres has been away for ${Math.round(maxWaitMs / 1_000)} seconds, and nothing is known to be written. Check the database server. ${reason}`,
  )
}

function closedError(): SqlError {
  return new SqlError('closed', 'The database is closed.')
}
