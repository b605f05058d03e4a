import { Client } from 'pg'
import { startOwnPostgres } from './own-postgres.ts'
import type { PostgresServer } from './postgres-server.ts'

/** What four test workers need at the same time. */
const neededConnections = 200

/**
 * Returns a Postgres server for tests: the one of `DATABASE_URL`, else one on the standard port that accepts us, else
 * one that is started for this. Throws if `DATABASE_URL` cannot be used: tests must not run elsewhere than they were
 * told to.
 */
export async function findPostgres(env: NodeJS.ProcessEnv = process.env): Promise<PostgresServer> {
  const configured = env['DATABASE_URL']
  if (configured !== undefined && configured !== '') {
    const problem = await problemOf(configured)
    if (problem !== undefined) throw new Error(`The tests cannot use DATABASE_URL: ${problem}`)
    return foreignServer(configured, 'the server of DATABASE_URL')
  }
  const standard = standardUrl(env)
  if ((await problemOf(standard)) === undefined) return foreignServer(standard, 'the server on this machine')
  return startOwnPostgres()
}

/** Returns the URL of the standard port, with the settings that all programs for Postgres know. */
function standardUrl(env: NodeJS.ProcessEnv): string {
  const url = new URL('postgres://127.0.0.1/postgres')
  url.hostname = env['PGHOST'] ?? url.hostname
  url.port = env['PGPORT'] ?? '5432'
  url.username = encodeURIComponent(env['PGUSER'] ?? 'postgres')
  url.password = encodeURIComponent(env['PGPASSWORD'] ?? '')
  return url.href
}

/** Returns why the tests cannot use a server, or `undefined` when they can. */
async function problemOf(url: string): Promise<string | undefined> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
  try {
    await client.connect()
    const { rows } = await client.query<{ mayCreate: boolean; connections: number }>(
      `select rolcreatedb or rolsuper as "mayCreate", current_setting('max_connections')::int as connections
       from pg_roles where rolname = current_user`,
    )
    const [row] = rows
    if (row?.mayCreate !== true) return 'its user may not create databases. Grant it CREATEDB.'
    if (row.connections >= neededConnections) return undefined
    return `it allows ${row.connections} connections. Set max_connections to ${neededConnections} or more.`
  } catch (error) {
    return String(error)
  } finally {
    await client.end().catch(() => undefined)
  }
}

function foreignServer(url: string, origin: string): PostgresServer {
  return { url, origin, isOwn: false, async [Symbol.asyncDispose]() {} }
}
