import { join } from 'node:path'
import { backup } from 'node:sqlite'
import { databaseName } from '../database-name.ts'
import { openAsItIs } from '../sqlite/open-database.ts'
import { type StoreBackup, writeBackup } from './write-backup.ts'

/**
 * Makes a backup of a data folder that no server uses. The data is not migrated. Throws a `BackupError`, and an
 * `SqlError` when the database cannot be opened: `in-use` when a server uses it.
 */
export async function backUpStopped(folder: string, target: string): Promise<StoreBackup> {
  using database = openAsItIs(join(folder, databaseName))
  return await writeBackup(
    { folder, copyDatabase: async path => void (await backup(database, path)) },
    target,
  )
}
