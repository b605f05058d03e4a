import { SqlError } from '../database/sql.ts'
import type { PostgresSql } from '../postgres/open-postgres.ts'
import { isConnectionLost, postgresError } from '../postgres/postgres-error.ts'
import type { StoreHealth } from './store-health.ts'

/** How old the health may be, in milliseconds. */
const maxAgeMs = 1_000
/** After a restart of the server, some connections of the pool are dead, and are found so one by one. */
const maxAttempts = 5

interface HealthOptions {
  /** The time, in milliseconds. Default: `performance.now`. */
  readonly now?: () => number
  /**
   * How long a look waits for a response before it says that the server cannot be reached, in milliseconds. Statements wait
   * longer, but load balancers do not. Default: 3,000.
   */
  readonly maxLookMs?: number
}

/**
 * Watches a database on a Postgres server. Returns a function that returns its health, which may be up to a second old,
 * and never rejects. A transaction that fails because of the server's disk is remembered. From then on, each look at the
 * health tries to write, until that works. While nothing has failed, a look writes nothing.
 *
 * There is one look at a time. A server that does not respond would otherwise hold one more connection each second.
 */
export function watchPostgresHealth(
  database: PostgresSql,
  { now = () => performance.now(), maxLookMs = 3_000 }: HealthOptions = {},
): () => Promise<StoreHealth> {
  let failure: SqlError | undefined
  let last: { readonly at: number; readonly health: Promise<StoreHealth>; isOver: boolean } | undefined

  database.onFailure(error => {
    if (!isOfDisk(error)) return
    // The next look must not return a result from before the failure.
    if (failure === undefined) last = undefined
    failure = error
  })

  async function look(): Promise<StoreHealth> {
    try {
      const before = failure
      await onConnection({ pool: database.pool, maxLookMs }, async query => {
        // A standby that nobody has promoted yet, or a server that was made read-only.
        if ((await query(readOnly))[0]?.is_read_only === 'on')
          throw new SqlError('unwritable', 'it is read-only')
        if (before !== undefined) await query(writeProbe)
      })
      // A write may have failed while this looked.
      if (failure === before) failure = undefined
      return { status: 'ok' }
    } catch (error) {
      return healthOf(postgresError(error))
    }
  }

  return async () => {
    try {
      database.assertOpen()
    } catch (error) {
      return healthOf(error)
    }
    if (last === undefined || (last.isOver && now() - last.at >= maxAgeMs)) {
      const looking = look()
      const next = { at: now(), health: withinTime(looking, maxLookMs), isOver: false }
      void looking.then(() => {
        next.isOver = true
      })
      last = next
    }
    return last.health
  }
}

type Query = (text: string) => Promise<readonly { readonly is_read_only?: string }[]>

interface LookOptions extends Pick<PostgresSql, 'pool'> {
  readonly maxLookMs: number
}

/**
 * Runs queries on a connection of its own. Not through `database.read`, which waits longer. If a query gets no result in
 * time, the connection is given up. If the connection is lost, another one is tried.
 */
async function onConnection(
  { pool, maxLookMs }: LookOptions,
  work: (query: Query) => Promise<void>,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const client = await pool.connect()
    try {
      await work(async text => {
        // The types of the driver do not know this option of a query.
        const query = { text, query_timeout: maxLookMs }
        return (await client.query(query)).rows
      })
      client.release()
      return
    } catch (error) {
      client.release(true)
      if (attempt === maxAttempts || !isConnectionLost(error)) throw error
    }
  }
}

/** Returns the result of a look, or that the server does not respond. */
async function withinTime(looking: Promise<StoreHealth>, maxMs: number): Promise<StoreHealth> {
  const { promise: late, resolve } = Promise.withResolvers<StoreHealth>()
  const silent = new SqlError('unreachable', `no response for ${maxMs / 1_000} seconds`)
  const timer = setTimeout(() => resolve(healthOf(silent)), maxMs)
  const health = await Promise.race([looking, late])
  clearTimeout(timer)
  return health
}

const readOnly = "select current_setting('transaction_read_only') as is_read_only"

/**
 * Needs as much room as a small answer. Nothing of it stays. Several nodes may do this at once, so the table has the
 * number of the connection in its name. The text is always the same.
 */
const writeProbe = `do $$
declare probe text := 'write_probe_' || pg_backend_pid();
begin
  execute format('create table %I (bytes text)', probe);
  execute format('insert into %I select md5(random()::text) from generate_series(1, 2048)', probe);
  execute format('drop table %I', probe);
end $$`

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
    case 'busy':
      return {
        status: 'unreachable',
        problem: `The Postgres server refuses statements (${reason}). Look at its log.`,
      }
    default:
      return {
        status: 'closed',
        problem: `The Postgres database does not respond (${reason}). Restart this server.`,
      }
  }
}
