import { DatabaseError, type Pool } from 'pg'
import { SqlError } from '../database/sql.ts'
import type { PostgresOptions } from './postgres-options.ts'

/** The oldest version that the tests have run on. */
const oldestVersion = 15

/**
 * Connects, and checks that the server can be used. Throws an `SqlError` that says what to do. It names the server and
 * the database, and never the password. Reports what the server may lose when it crashes.
 */
export async function checkServer(
  pool: Pool,
  url: string,
  { report = () => undefined }: Pick<PostgresOptions, 'report'> = {},
): Promise<void> {
  const { rows } = await pool
    .query<{ version: number; encoding: string; off: readonly string[] }>(
      `select current_setting('server_version_num')::int / 10000 as version,
        current_setting('server_encoding') as encoding,
        array(select name from unnest($1::text[]) name where current_setting(name) = 'off') as off`,
      [Object.keys(riskOfSetting)],
    )
    .catch(error => {
      throw new SqlError('unreachable', connectFailure(error, placeOf(url)))
    })
  const { version = 0, encoding = '', off = [] } = rows[0] ?? {}
  if (version < oldestVersion)
    throw new SqlError(
      'failed',
      `The server of ${placeOf(url).whole} is Postgres ${version}. Throughline needs ${oldestVersion} or newer.`,
    )
  if (encoding !== 'UTF8')
    throw new SqlError(
      'failed',
      `The database ${placeOf(url).whole} has the encoding ${encoding}. Create it with: create database … encoding 'UTF8' template template0`,
    )
  for (const [setting, risk] of Object.entries(riskOfSetting)) if (off.includes(setting)) report(risk)
}

/** What follows when a setting is off. */
const riskOfSetting: Readonly<Record<string, string>> = {
  synchronous_commit:
    'Postgres has synchronous_commit = off, so a crash of it loses the newest commits. Throughline turns it on for each of its own writes.',
  fsync:
    'Postgres has fsync = off, so a power loss can damage the database or lose what people have seen. Turn it on. Until then, viewers load their chats again whenever Postgres was restarted.',
  full_page_writes:
    'Postgres has full_page_writes = off, so a power loss can damage the database. Turn it on, unless the file system never writes a page in part, as ZFS.',
}

interface Place {
  /** For example `db.example:5432/throughline`. */
  readonly whole: string
  readonly server: string
  readonly database: string
  readonly user: string
}

/** Returns what a URL names, without its password. */
function placeOf(url: string): Place {
  const { hostname, port, pathname, username } = new URL(url)
  const server = `${hostname || 'localhost'}:${port || '5432'}`
  const user = decodeURIComponent(username)
  const database = decodeURIComponent(pathname.slice(1)) || user
  return { server, database, user, whole: `${server}/${database}` }
}

/** Returns why there is no connection, and what to do. */
function connectFailure(error: unknown, { server, database, user, whole }: Place): string {
  const reason = reasonOf(error)
  switch (error instanceof DatabaseError ? error.code : codeOf(error)) {
    // invalid_catalog_name
    case '3D000':
      return `The server ${server} has no database "${database}". Create it: createdb ${database}`
    // invalid_password, invalid_authorization_specification
    case '28P01':
    case '28000':
      return `The server ${server} does not let the user "${user}" in: ${reason}. Check the user and the password.`
    // insufficient_privilege
    case '42501':
      return `The user "${user}" may not connect to ${whole}: ${reason}. Grant it the right to.`
    // too_many_connections
    case '53300':
      return `The server ${server} has no connection left: ${reason}. Raise its max_connections, or use a pooler.`
    case 'ECONNREFUSED':
      return `Nothing listens on ${server}. Start Postgres there, or correct the host and the port.`
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `There is no host ${server.replace(/:\d+$/, '')}. Correct the host.`
    default:
      return `There is no connection to ${whole}: ${reason}.`
  }
}

function codeOf(error: unknown): string | undefined {
  // Node tries all addresses of a host, and reports all of them together.
  const first = error instanceof AggregateError ? error.errors[0] : error
  return first instanceof Error && 'code' in first ? String(first.code) : undefined
}

function reasonOf(error: unknown): string {
  const first = error instanceof AggregateError ? error.errors[0] : error
  return (first instanceof Error ? first.message : String(first)).replace(/\.$/, '')
}
