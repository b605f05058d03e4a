import { join } from 'node:path'
import { assembleStore } from './assemble-store.ts'
import { databaseName } from './database-name.ts'
import { openPrivateFolder, type PrivateFolderOptions } from './private-folder.ts'
import { sqliteDatabase } from './schema.ts'
import { openSqlite, type SqliteOptions, type SqliteThread } from './sqlite/open-sqlite.ts'
import { createSqliteLogStore } from './sqlite/sqlite-log-store.ts'
import type { Store } from './store.ts'
import { watchHealth } from './store-health.ts'
import { readSizes } from './store-sizes.ts'
import { watchFiles } from './watched-files.ts'

export type { Store } from './store.ts'

/**
 * Opens the store in a folder. Creates the folder and the database if they do not exist. Other users of the machine cannot
 * read them; `report` is called with what they may still read. Throws an `SqlError`: `in-use` when another process has the
 * database open, `newer-schema` when a newer version of Throughline has written it.
 */
export async function openStore(
  folder: string,
  { report = () => undefined, ...options }: Partial<PrivateFolderOptions> & SqliteOptions = {},
): Promise<Store> {
  await openPrivateFolder(folder, databaseName, { report })
  return createStore(await openSqlite(join(folder, databaseName), options), folder, { report })
}

/** Makes the store of a folder from its database, which is open. */
export async function createStore(
  thread: SqliteThread,
  folder: string,
  { report }: PrivateFolderOptions,
): Promise<Store> {
  const path = join(folder, databaseName)
  // The newest writes are in the -wal file. Without it they are lost too.
  const health = watchHealth(thread, { folder, files: await watchFiles([path, `${path}-wal`]) })
  return assembleStore(sqliteDatabase(thread), {
    log: createSqliteLogStore(thread),
    filesFolder: join(folder, 'files'),
    report,
    health,
    sizes: () => readSizes(thread, path),
    close: () => thread.close(),
  })
}
