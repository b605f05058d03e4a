import { join } from 'node:path'
import { BackupError, type StoreBackup, writeBackup } from '../backup/write-backup.ts'
import { databaseOnSqlite } from '../database/database.ts'
import { migrations } from '../database/migrations.ts'
import { databaseName, openPrivateFolder, type PrivateFolderOptions } from '../disk/private-folder.ts'
import { withEarlierBytes } from '../file-bytes/earlier-bytes.ts'
import type { FileBytes } from '../file-bytes/file-bytes.ts'
import { folderBytes } from '../file-bytes/folder-bytes.ts'
import { reportFailures } from '../file-bytes/reported-bytes.ts'
import { readSizes, sqliteFacts } from '../health/database-facts.ts'
import { watchFiles, watchHealth } from '../health/store-health.ts'
import { createSignals } from '../nodes/signals.ts'
import { openSqlite, type SqliteOptions, type SqliteThread } from '../sqlite/open-sqlite.ts'
import { createSqliteLogStore } from '../sqlite/sqlite-log-store.ts'
import { assembleStore } from './assemble-store.ts'
import type { Store } from './store.ts'

export type { Store } from './store.ts'

/** The options of a store. */
export interface StoreOptions extends PrivateFolderOptions {
  /**
   * Where the bytes of files are. Default: the folder `files` in the data folder. Files that were saved there before are
   * still found.
   */
  readonly fileBytes?: FileBytes | undefined
  /** Returns the time by which nodes live and die, in milliseconds since 1970. Default: the clock of the database. */
  readonly clock?: (() => number) | undefined
}

/**
 * Opens the store in a folder. Creates the folder and the database if they do not exist. Other users of the machine cannot
 * read them; `report` is called with what they may still read. Throws an `SqlError`: `in-use` when another process has the
 * database open, `newer-schema` when a newer version of Throughline has changed it so that this one cannot use it. `report` is
 * also called when a newer version has only added to it.
 */
export async function openStore(
  folder: string,
  { report = () => undefined, fileBytes, clock, ...options }: Partial<StoreOptions> & SqliteOptions = {},
): Promise<Store> {
  await openPrivateFolder(folder, databaseName, { report })
  const thread = await openSqlite(join(folder, databaseName), options)
  await reportNewer(thread, report)
  return createStore(thread, folder, { report, fileBytes, clock })
}

async function reportNewer(thread: SqliteThread, report: (problem: string) => void): Promise<void> {
  const sql = 'select max(version) as version from migrations'
  const [rows] = await thread.read([{ sql, sets: [[]] }])
  const version = Number(rows?.[0]?.['version'])
  if (version > migrations.length)
    report(
      `The database has schema version ${version}, this program knows ${migrations.length}. It can use the tables. Update it to have what is new.`,
    )
}

/** Makes the store of a folder from its database, which is open. */
export async function createStore(
  thread: SqliteThread,
  folder: string,
  { report, fileBytes, clock }: StoreOptions,
): Promise<Store> {
  const path = join(folder, databaseName)
  // The newest writes are in the -wal file. Without it they are lost too.
  const health = watchHealth(thread, { folder, files: await watchFiles([path, `${path}-wal`]) })
  return assembleStore(databaseOnSqlite(thread, clock), {
    log: createSqliteLogStore(thread),
    signals: createSignals(),
    fileBytes: fileBytesOf(folder, fileBytes && reportFailures(fileBytes, report)),
    report,
    health,
    sizes: () => readSizes(thread, path),
    facts: async () => sqliteFacts(),
    backup: oneAtATime(target => writeBackup({ folder, copyDatabase: to => thread.backup(to) }, target)),
    close: () => thread.close(),
  })
}

/** Returns where the bytes of files are: in the folder `files`, or elsewhere and in the folder those that came earlier. */
export function fileBytesOf(folder: string, elsewhere: FileBytes | undefined): FileBytes {
  const inFolder = folderBytes(join(folder, 'files'))
  return elsewhere === undefined ? inFolder : withEarlierBytes(elsewhere, inFolder)
}

/** Refuses a backup while another one is under way: each of them holds up the jobs of the database a little. */
function oneAtATime(backUp: (target: string) => Promise<StoreBackup>): NonNullable<Store['backup']> {
  let isUnderWay = false
  return async target => {
    if (isUnderWay) throw new BackupError('busy', 'Another backup is under way. Try again when it has ended.')
    isUnderWay = true
    try {
      return await backUp(target)
    } finally {
      isUnderWay = false
    }
  }
}
