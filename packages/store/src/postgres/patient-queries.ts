import { retry } from '@throughline/protocol/internal'
import type { Pool } from 'pg'
import { SqlError, type SqlRow } from '../database/sql.ts'
import { isConnectionLost, isPassing, isStalePlan, postgresError } from './postgres-error.ts'

/** A statement that the server prepares once per connection, by its name. */
export interface PreparedQuery {
  readonly name: string
  readonly text: string
  readonly values: readonly unknown[]
}

/** The part of a connection pool that the log needs. */
export type QueryPool = Pick<Pool, 'query'>

/** Runs statements on pooled connections. While the server is away, or refuses statements for a moment, they wait. */
export interface PatientQueries {
  /**
   * Runs a statement that may take effect twice without harm. Repeats it while the server is away or refuses it for a
   * moment. Throws an `SqlError`: `unreachable`, `unwritable` or `busy` when that lasts longer than `maxWaitMs`, `closed`
   * after `close`.
   */
  run(query: PreparedQuery): Promise<readonly SqlRow[]>
  /** As `run`, for a statement that locks a log. Ends an append that somebody has left in the middle, and that is in its way. */
  runLocking(query: PreparedQuery): Promise<readonly SqlRow[]>
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

/** How long runs wait for the server, in milliseconds. */
export const defaultMaxWaitMs = 30_000

/** A statement that waits this long may wait for a lock that nobody gives back, in milliseconds. */
const suspiciousMs = 1_000

/** How long statements wait for the server. */
export interface PatienceOptions {
  /** How long a statement is repeated while the server fails, in milliseconds. Default: 30,000. */
  readonly maxWaitMs?: number
  /** After which time without a result a connection is taken for lost, in milliseconds. Default: 10,000. */
  readonly timeoutMs?: number
}

/** Returns queries on a pool. */
export function createPatientQueries(
  pool: QueryPool,
  { maxWaitMs = defaultMaxWaitMs, timeoutMs = 10_000 }: PatienceOptions = {},
): PatientQueries {
  const closing = new AbortController()
  const { signal } = closing

  async function once({ name, text, values }: PreparedQuery): Promise<readonly SqlRow[]> {
    if (signal.aborted) throw closedError()
    const query = { name, text, values: [...values], query_timeout: timeoutMs }
    const { rows } = await pool.query<SqlRow>(query)
    return rows
  }

  /** An append that was cut off may block a statement. Nobody waits for this, and it may fail. */
  function endAbandoned(): void {
    once(endAbandonedQuery(timeoutMs / 2)).catch(() => undefined)
  }

  async function patiently<Result>(
    work: () => Promise<Result>,
    startedAt = performance.now(),
  ): Promise<Result> {
    const onFailure = (error: unknown, delayMs: number): number => {
      if (!mayPass(error)) throw error instanceof Error && isOwn(error) ? error : postgresError(error)
      if (performance.now() - startedAt + delayMs > maxWaitMs) throw waitedError(error, maxWaitMs)
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

  const run = (query: PreparedQuery) => patiently(() => once(query))
  async function runLocking(query: PreparedQuery): Promise<readonly SqlRow[]> {
    const timer = setInterval(endAbandoned, suspiciousMs)
    try {
      return await run(query)
    } finally {
      clearInterval(timer)
    }
  }

  return { once, patiently, run, runLocking, close: () => closing.abort() }
}

/** Returns whether the same statement may succeed later. */
function mayPass(error: unknown): boolean {
  if (error instanceof Error && isOwn(error)) return false
  return isConnectionLost(error) || isPassing(error) || isStalePlan(error)
}

/** Errors of this program, not of the database or of the connection to it. */
function isOwn(error: Error): boolean {
  return ['SqlError', 'LogError', 'TypeError', 'RangeError'].includes(error.name)
}

/** A server that is there keeps its own error, such as that it is read-only. */
function waitedError(error: unknown, maxWaitMs: number): SqlError {
  const { code, message } = postgresError(error)
  return new SqlError(
    isConnectionLost(error) ? 'unreachable' : code,
    `Postgres has failed for ${Math.round(maxWaitMs / 1_000)} seconds, and nothing is known to be written. Check the database server. ${message}`,
  )
}

function closedError(): SqlError {
  return new SqlError('closed', 'The database is closed.')
}

// The network can fail in the middle of a statement. The server then waits for the rest of it, perhaps for hours, and
// holds the locks of the rows that the statement has written. Nobody could append to these logs, or take them over.

/** Marks the statement that appends, so that it is recognised among the connections of the server. */
export const appendMark = '/* throughline append */'

/**
 * Ends the connections whose append has waited for the rest of its statement for longer than `afterMs` milliseconds. If a
 * sender is only slow, it sees a lost connection, and sends again.
 */
function endAbandonedQuery(afterMs: number): PreparedQuery {
  return { name: 'log-end-abandoned', text: endAbandonedSql, values: [afterMs, `${appendMark}%`] }
}

const endAbandonedSql = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and usename = current_user and query like $2
    and state = 'active' and wait_event = 'ClientRead'
    and xact_start < clock_timestamp() - $1::bigint * interval '1 millisecond'`
