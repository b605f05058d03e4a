import { Pool, TypeOverrides } from 'pg'
import { inTime, waitOut } from '../database/patience.ts'
import { type Sql, SqlError, type Statement, type StatementRows } from '../database/sql.ts'
import { checkServer } from './check-server.ts'
import { migratePostgres } from './migrate-postgres.ts'
import { isConflict, isConnectionLost, isPassing, isStalePlan, postgresError } from './postgres-error.ts'
import type { PostgresOptions } from './postgres-options.ts'
import { createPostgresTexts } from './postgres-text.ts'
import { type CommitSetting, runRead, runWrite, type TransactionParts } from './run-transaction.ts'

/** A database on a Postgres server. */
export interface PostgresSql extends Sql {
  /** The connections. All statements on them are pipelined. */
  readonly pool: Pool
  /** Throws when the database is closed. */
  assertOpen(): void
  /** Calls the function with the error of every transaction that fails. There is one such function at a time. */
  onFailure(listener: (error: SqlError) => void): void
}

/**
 * Connects to a Postgres database, and migrates it. Throws an `SqlError` whose message says what to do: `unreachable`
 * when there is no connection, `newer-schema` when a newer program has changed the tables so that this one cannot use
 * them. No message contains the password.
 */
export async function openPostgres(url: string, options: PostgresOptions = {}): Promise<PostgresSql> {
  const sql = connectPostgres(url, options)
  try {
    await checkServer(sql.pool, url, options)
    await migratePostgres(sql.pool, options)
    return sql
  } catch (error) {
    await sql.close()
    throw error
  }
}

/** Returns connections to a database that was opened before. They are made when they are needed. */
export function connectPostgres(url: string, options: Omit<PostgresOptions, 'report'>): PostgresSql {
  return new PostgresDatabase(createPool(url, options))
}

function createPool(url: string, options: Omit<PostgresOptions, 'report'>): Pool {
  const { maxConnections = 10, connectTimeoutMs = 10_000, statementTimeoutMs = 30_000 } = options
  const pool = new Pool({
    connectionString: url,
    max: maxConnections,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: statementTimeoutMs,
    keepAlive: true,
    pipeline: true,
    fallback_application_name: 'throughline',
    types: numbers(),
  })
  // A connection that breaks fails its queries, and the pool drops it. Without a listener, the process would end.
  pool.on('error', () => undefined)
  pool.on('connect', client => client.on('error', () => undefined))
  return pool
}

/** All numbers in the tables are below 2^53, so `bigint` and `numeric` are read as numbers, as SQLite does. */
function numbers(): TypeOverrides {
  const types = new TypeOverrides()
  const [int8, numeric] = [20, 1700]
  types.setTypeParser(int8, Number)
  types.setTypeParser(numeric, Number)
  return types
}

interface Attempts {
  readonly attempt: () => Promise<StatementRows>
  /** Makes the error for a caller whose time is over. */
  readonly late: () => SqlError
}

/**
 * Returns whether a transaction that failed may succeed later. When the connection was lost while a write was under way, the
 * error is an `SqlError`: its caller says whether it may be repeated.
 */
function mayPass(error: unknown): boolean {
  return isPassing(error) || isConnectionLost(error)
}

/** How often a transaction is repeated that stands in a conflict with another one, such as a deadlock. */
const maxAttempts = 5

class PostgresDatabase implements PostgresSql {
  readonly pool: Pool
  #textOf = createPostgresTexts()
  #generation = 0
  /** Until the first write. */
  readonly #commits: CommitSetting = { mayBeOff: true }
  /** The transactions that are not done yet. */
  readonly #underWay = new Set<Promise<unknown>>()
  #isClosed = false
  #onFailure: (error: SqlError) => void = () => undefined

  constructor(pool: Pool) {
    this.pool = pool
  }

  write(statements: readonly Statement[]): Promise<StatementRows> {
    return this.#run({
      attempt: () => this.#attempts(parts => runWrite(parts, statements), isConflict),
      // The write may be made after nobody waits for it any more.
      late: () => new SqlError('unconfirmed', 'Postgres did not confirm a write in time.'),
    })
  }

  read(statements: readonly Statement[]): Promise<StatementRows> {
    // A read changes nothing, so it can be repeated on another connection.
    const mayRepeat = (error: unknown) => isConflict(error) || isConnectionLost(error)
    return this.#run({
      attempt: () => this.#attempts(parts => runRead(parts, statements), mayRepeat),
      late: () => new SqlError('unreachable', 'Postgres did not respond in time.'),
    })
  }

  assertOpen(): void {
    if (this.#isClosed) throw new SqlError('closed', 'The database is closed.')
  }

  onFailure(listener: (error: SqlError) => void): void {
    this.#onFailure = listener
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    // The pool forgets those who still wait for a connection.
    await Promise.allSettled(this.#underWay)
    await this.pool.end()
  }

  /** Runs a transaction, and tries it again as long as the caller waits for the server. */
  async #run({ attempt, late }: Attempts): Promise<StatementRows> {
    const running = waitOut(async () => {
      this.assertOpen()
      try {
        return await attempt()
      } catch (error) {
        if (!(error instanceof TypeError)) this.#onFailure(postgresError(error))
        throw error
      }
    }, mayPass)
    this.#underWay.add(running)
    // The caller below gets the error.
    void running.catch(() => undefined).finally(() => this.#underWay.delete(running))
    try {
      return await inTime(running, late)
    } catch (error) {
      throw error instanceof TypeError ? error : postgresError(error)
    }
  }

  async #attempts(
    work: (parts: TransactionParts) => Promise<StatementRows>,
    mayRepeat: (error: unknown) => boolean,
  ): Promise<StatementRows> {
    for (let attempt = 1; ; attempt += 1) {
      const client = await this.pool.connect()
      const textOf = this.#textOf
      try {
        const rows = await work({ client, textOf, commits: this.#commits })
        client.release()
        return rows
      } catch (error) {
        const isStale = isStalePlan(error)
        client.release(isStale || error instanceof SqlError || isConnectionLost(error))
        if (isStale) this.#prepareAnew(textOf)
        // Every connection of the pool may be stale, and each of them is dropped here.
        if (isStale && attempt < maxAttempts + this.pool.options.max) continue
        if (attempt >= maxAttempts || !mayRepeat(error)) throw error
      }
    }
  }

  /** Dropping a connection does not help behind a pooler: the same connection to the server may come back. */
  #prepareAnew(staleTextOf: ReturnType<typeof createPostgresTexts>): void {
    // Somebody else may have met the same migration, and may have been faster.
    if (this.#textOf !== staleTextOf) return
    this.#generation += 1
    this.#textOf = createPostgresTexts(this.#generation)
  }
}
