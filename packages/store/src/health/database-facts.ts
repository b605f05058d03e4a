import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Sql } from '../database/sql.ts'
import { absent } from '../disk/folders.ts'
import { databaseName } from '../disk/private-folder.ts'
import { openAsItIs } from '../sqlite/open-database.ts'

/** Which database a store uses. */
export interface DatabaseFacts {
  readonly kind: 'sqlite' | 'postgres'
  /** Such as `3.51.0` or `18.1`. */
  readonly version: string
}

/** Returns the facts of the SQLite that this process has built in. */
export function sqliteFacts(): DatabaseFacts {
  return { kind: 'sqlite', version: process.versions.sqlite ?? '' }
}

/** Asks a Postgres server for its facts. Its version can change while this process runs. */
export async function postgresFacts(sql: Pick<Sql, 'read'>): Promise<DatabaseFacts> {
  const [rows = []] = await sql.read([
    { sql: "select current_setting('server_version') as version", sets: [[]] },
  ])
  // Distributions add their own name: `18.1 (Debian 18.1-1)`.
  const [version = ''] = String(rows[0]?.['version']).split(' ')
  return { kind: 'postgres', version }
}

/** How much room a database takes on the disk. The files of chats are not counted, unless they are in the database. */
export interface StoreSizes {
  /** The size of the database file, or of the database on a server. */
  readonly databaseBytes: number
  /** How much of the database file is free. New rows use it. Not known on a server. */
  readonly freeBytes?: number
  /** The size of the write-ahead log: the file with the newest writes, beside the database file. Not known on a server. */
  readonly walBytes?: number
}

/** Returns the sizes of a database that is open. Cheap: no rows are read. */
export async function readSizes(sql: Pick<Sql, 'read'>, path: string): Promise<Required<StoreSizes>> {
  const [rows = []] = await sql.read([{ sql: freeSql, sets: [[]] }])
  return { ...(await fileSizes(path)), freeBytes: Number(rows[0]?.['bytes']) }
}

/** Returns the size of a database on a Postgres server. */
export async function readPostgresSizes(sql: Pick<Sql, 'read'>): Promise<StoreSizes> {
  const [rows = []] = await sql.read([
    { sql: 'select pg_database_size(current_database()) as bytes', sets: [[]] },
  ])
  return { databaseBytes: Number(rows[0]?.['bytes']) }
}

/**
 * Returns the sizes of the database in a folder that nobody has open. The database is not migrated. Throws an `SqlError`, as `openStore`
 * does.
 */
export async function measureStore(folder: string): Promise<Required<StoreSizes>> {
  const path = join(folder, databaseName)
  // Closing the database empties the -wal file, so its size is read first.
  const sizes = await fileSizes(path)
  using database = openAsItIs(path)
  return { ...sizes, freeBytes: Number(database.prepare(freeSql).get()?.['bytes']) }
}

async function fileSizes(path: string): Promise<Omit<Required<StoreSizes>, 'freeBytes'>> {
  const [database, wal] = await Promise.all([path, `${path}-wal`].map(each => stat(each).catch(absent)))
  return { databaseBytes: database?.size ?? 0, walBytes: wal?.size ?? 0 }
}

const freeSql = 'select freelist_count * page_size as bytes from pragma_freelist_count, pragma_page_size'
