import { openPostgres } from '@throughline/store/testing'
import { findPostgres } from '@throughline/testing/postgres/find-postgres'
import { freshDatabase } from '@throughline/testing/postgres/fresh-database'
import type { PostgresServer } from '@throughline/testing/postgres/postgres-server'
import { temporaryDisk } from '../load/servers/data-folder.ts'
import { makeWalFiles } from './make-wal-files.ts'

/** The Postgres server that is measured. */
export interface ScalePostgres extends PostgresServer {
  /** What it is, and which of its settings matter. */
  readonly description: string
}

/**
 * Finds a Postgres as the tests do: that of `DATABASE_URL`, else one on the standard port, else one of its own. Its own
 * one has its data on a disk, and the WAL files of a server that has run for a while.
 */
export async function openScalePostgres(): Promise<ScalePostgres> {
  process.env['TMPDIR'] = await temporaryDisk()
  const server = await findPostgres()
  if (server.isOwn) await makeWalFiles(server.url)
  return { ...server, description: await descriptionOf(server) }
}

async function descriptionOf({ url, origin }: PostgresServer): Promise<string> {
  await using database = await freshDatabase(url)
  const sql = await openPostgres(database.url)
  const { rows } = await sql.pool.query<Record<string, string>>(
    `select current_setting('server_version') as version, current_setting('fsync') as fsync,
       current_setting('synchronous_commit') as commits`,
  )
  await sql.close()
  const { version, fsync, commits } = rows[0] ?? {}
  return `Postgres ${version} (${origin}), fsync ${fsync}, synchronous_commit ${commits}`
}
