import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { databaseName } from './database-name.ts'
import type { Sql } from './sql.ts'
import { openAsItIs } from './sqlite/open-database.ts'

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
  const [databaseBytes, walBytes] = await Promise.all([path, `${path}-wal`].map(sizeOf))
  return { databaseBytes: databaseBytes ?? 0, walBytes: walBytes ?? 0 }
}

/** Returns the size of a file; 0 when there is none. */
async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return 0
    throw error
  }
}

const freeSql = 'select freelist_count * page_size as bytes from pragma_freelist_count, pragma_page_size'
