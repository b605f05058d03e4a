import { randomHex } from '@throughline/protocol'
import { untilAborted } from '@throughline/protocol/internal'
import { SqlError, type Statement } from '../sql.ts'
import type { StoreHealth } from '../store-health.ts'
import type { PostgresSql } from './open-postgres.ts'
import { isConnectionLost, postgresError } from './postgres-error.ts'

const maxAgeMs = 1_000

interface HealthOptions {
  /** The time, in milliseconds. Default: `performance.now`. */
  readonly now?: () => number
  /**
   * After so long without a response, the server cannot be reached, in milliseconds. Statements wait longer, but load
   * balancers do not. Default: 3,000.
   */
  readonly maxLookMs?: number
}

/**
 * Watches a database on a Postgres server. Returns a function that returns its health, which may be up to a second old,
 * and never rejects. A transaction that fails because of the server's disk is remembered. From then on, each look at the
 * health tries to write, until that works. While nothing has failed, a look writes nothing.
 */
export function watchPostgresHealth(
  database: PostgresSql,
  { now = () => performance.now(), maxLookMs = 3_000 }: HealthOptions = {},
): () => Promise<StoreHealth> {
  let failure: SqlError | undefined
  let last: { readonly at: number; readonly health: Promise<StoreHealth> } | undefined

  database.onFailure(error => {
    if (!isOfDisk(error)) return
    // The next look must not return a result from before the failure.
    if (failure === undefined) last = undefined
    failure = error
  })

  async function look(): Promise<StoreHealth> {
    try {
      // A standby that nobody has promoted yet, or a server that was made read-only.
      if (await isReadOnly(database, maxLookMs))
        return healthOf(new SqlError('unwritable', 'it is read-only'))
      if (failure !== undefined) await database.write(writeProbe())
      failure = undefined
      return { status: 'ok' }
    } catch (error) {
      return healthOf(error)
    }
  }

  return async () => {
    try {
      database.assertOpen()
    } catch (error) {
      return healthOf(error)
    }
    if (last === undefined || now() - last.at >= maxAgeMs) last = { at: now(), health: look() }
    return last.health
  }
}

/**
 * Asks the server whether it is read-only. A connection that is lost, or that does not respond in time, is dropped, so that
 * nobody else has to wait for it. Then another one is tried, until the time is over. Throws an `SqlError`.
 */
async function isReadOnly({ pool }: PostgresSql, maxMs: number): Promise<boolean> {
  const isOver = AbortSignal.timeout(maxMs)
  const query = { name: 'read-only', text: readOnlySql, query_timeout: maxMs }
  for (let attempt = 1; ; attempt += 1) {
    try {
      const { rows } = await untilAborted(pool.query<{ is_read_only: string }>(query), isOver)
      return rows[0]?.is_read_only === 'on'
    } catch (error) {
      if (isOver.aborted)
        throw new SqlError('unreachable', `Postgres has not responded for ${maxMs / 1_000} seconds`)
      if (attempt === maxAttempts || !isConnectionLost(error)) throw postgresError(error)
    }
  }
}

/** After a restart of the server, some connections of the pool are dead, and are found so one by one. */
const maxAttempts = 5

const readOnlySql = "select current_setting('transaction_read_only') as is_read_only"

/** Needs as much room as a small answer. Nothing of it stays. Several nodes may do this at once. */
function writeProbe(): readonly Statement[] {
  const table = `write_probe_${randomHex(8)}`
  return [
    `create table ${table} (bytes text)`,
    `insert into ${table} select md5(random()::text) from generate_series(1, 2048)`,
    `drop table ${table}`,
  ].map(sql => ({ sql, sets: [[]] }))
}

function isOfDisk({ code }: SqlError): boolean {
  return code === 'full' || code === 'unwritable'
}

function healthOf(error: unknown): StoreHealth {
  const reason = error instanceof Error ? error.message : String(error)
  switch (error instanceof SqlError ? error.code : 'closed') {
    case 'full':
      return { status: 'full', problem: `The disk of the Postgres server is full (${reason}). Make room.` }
    case 'unwritable':
      return {
        status: 'unwritable',
        problem: `The Postgres database cannot be written (${reason}). Make it writable.`,
      }
    case 'unreachable':
    case 'unconfirmed':
      return {
        status: 'unreachable',
        problem: `The Postgres server cannot be reached (${reason}). Start it, or repair the network.`,
      }
    default:
      return {
        status: 'closed',
        problem: `The Postgres database does not respond (${reason}). Restart this server.`,
      }
  }
}
