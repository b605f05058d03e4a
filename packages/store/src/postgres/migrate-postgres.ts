import { DatabaseError, type Pool, type PoolClient } from 'pg'
import { type Migration, migrations } from '../database/migrations.ts'
import { SqlError } from '../database/sql.ts'
import { isConflict, postgresError } from './postgres-error.ts'

/** What a test can replace, and where to report what an operator should know. */
interface MigrateOptions {
  readonly report?: (problem: string) => void
  /** Default: those of this program. */
  readonly known?: readonly Migration[]
}

/**
 * Brings the tables to the newest version, one transaction per migration. Several processes may do this at once: each
 * transaction first takes the same lock, and looks how far the others have come.
 *
 * A newer program may have migrated further. Then this one can go on, unless one of those migrations says that older
 * programs cannot. Throws the `SqlError` `newer-schema` in that case.
 */
export async function migratePostgres(
  pool: Pool,
  { report = () => undefined, known = migrations }: MigrateOptions = {},
): Promise<void> {
  const client = await pool.connect()
  try {
    while (await applyNext(client, known));
    const applied = await appliedTo(client)
    assertUsable(applied, known.length)
    if (applied.version > known.length)
      report(
        `The database has schema version ${applied.version}, this program knows ${known.length}. It can use the tables. Update it to have what is new.`,
      )
    client.release()
  } catch (error) {
    client.release(true)
    throw error instanceof SqlError ? error : migrationFailure(error)
  }
}

/**
 * Applies the first migration that is missing. Returns whether there was one. A node of an older release may be at work: a
 * migration of several tables can get into a deadlock with it. Then Postgres undoes one of the two, and it is repeated.
 */
async function applyNext(client: PoolClient, known: readonly Migration[]): Promise<boolean> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await tryNext(client, known)
    } catch (error) {
      if (attempt === maxAttempts || !isConflict(error)) throw error
    }
  }
}

async function tryNext(client: PoolClient, known: readonly Migration[]): Promise<boolean> {
  await client.query('begin')
  try {
    await client.query('select pg_advisory_xact_lock($1)', [lockKey])
    await client.query(createTable)
    const applied = await appliedTo(client)
    assertUsable(applied, known.length)
    const next = known[applied.version]
    if (next !== undefined) await apply(client, applied.version + 1, next)
    await client.query('commit')
    return next !== undefined
  } catch (error) {
    // If the rollback fails too, the connection is lost, and the server undoes the transaction by itself.
    await client.query('rollback').catch(() => undefined)
    throw error
  }
}

async function apply(client: PoolClient, version: number, migration: Migration): Promise<void> {
  for (const statement of migration.postgres ?? migration.statements) await client.query(collated(statement))
  await client.query(
    'insert into throughline_migrations (version, name, applied_at, breaks) values ($1, $2, $3, $4)',
    [version, migration.name, new Date().toISOString(), migration.breaks === true ? 1 : 0],
  )
}

interface Applied {
  readonly version: number
  /** The last migration after which older programs cannot use the tables. */
  readonly breaking: number
}

async function appliedTo(client: PoolClient): Promise<Applied> {
  const { rows } = await client.query<Applied>(
    `select coalesce(max(version), 0)::int as version,
      coalesce(max(version) filter (where breaks = 1), 0)::int as breaking from throughline_migrations`,
  )
  return rows[0] ?? { version: 0, breaking: 0 }
}

function assertUsable({ breaking }: Applied, known: number): void {
  if (breaking <= known) return
  throw new SqlError(
    'newer-schema',
    `The database has schema version ${breaking}, which programs that know only ${known} cannot use. Use the newer program that made it.`,
  )
}

/** SQLite sorts text by its bytes. So that both databases sort alike, every column of text does so here, too. */
function collated(statement: string): string {
  return statement.replaceAll(/\b(\w+) text\b/g, '$1 text collate "C"')
}

function migrationFailure(error: unknown): SqlError {
  const { code, message } = postgresError(error)
  const sqlState = error instanceof DatabaseError ? error.code : undefined
  // duplicate_table
  if (sqlState === '42P07')
    return new SqlError(
      'failed',
      `${message}, and Throughline did not make it. Give Throughline a database of its own, or a schema: end the URL with ?options=-csearch_path%3Dthroughline`,
    )
  // insufficient_privilege
  if (sqlState === '42501')
    return new SqlError(
      'unwritable',
      `${message}. Let this user create tables: grant create on schema public to …`,
    )
  return new SqlError(code, `The tables could not be migrated: ${message}`)
}

/** Postgres waits a second before it looks for a deadlock, so the attempts take that long each. */
const maxAttempts = 10

// Any number will do. It only has to be the same in all versions of this program.
const lockKey = 7_468_726_517
const createTable = `create table if not exists throughline_migrations (
  version bigint primary key, name text not null, applied_at text not null, breaks bigint not null)`
