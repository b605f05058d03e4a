import { join } from 'node:path'
import { finishRemovals } from '../chats/delete-chat.ts'
import { databaseOnSqlite } from '../database/database.ts'
import { type Sql, SqlError } from '../database/sql.ts'
import { databaseName } from '../disk/private-folder.ts'
import { type FileBytes, FileBytesError } from '../file-bytes/file-bytes.ts'
import { createFiles } from '../files/files.ts'
import { createUnsavedFiles } from '../files/unsaved-files.ts'
import { readSizes, type StoreSizes } from '../health/database-facts.ts'
import { openSqlite, type SqliteThread } from '../sqlite/open-sqlite.ts'
import { createSqliteLogStore } from '../sqlite/sqlite-log-store.ts'
import { fileBytesOf } from './open-store.ts'

/** What compacting a store needs to know. */
export interface CompactOptions {
  /** Where the bytes of files are, besides the data folder. See `StoreOptions`. */
  readonly fileBytes?: FileBytes | undefined
}

/** How a store was compacted. */
export interface CompactedStore {
  readonly before: Required<StoreSizes>
  readonly after: Required<StoreSizes>
  readonly contents: StoreContents
  /** How many chats were deleted before, but not all of their rows. Now they are. */
  readonly finishedRemovals: number
}

/** How much there is in a store. */
export interface StoreContents {
  readonly chats: number
  readonly messages: number
  readonly entries: number
}

/**
 * Makes the database in a folder as small as it can be, and migrates it. Nothing else can use the store meanwhile. Needs
 * room in the folder for two copies of the contents. Throws an `SqlError` whose message names the path and says what to
 * do. Then nothing is lost: `in-use` when another process has the database open, `full` when the disk has no room.
 */
export async function compactStore(folder: string, options: CompactOptions = {}): Promise<CompactedStore> {
  const path = join(folder, databaseName)
  const thread = await openSqlite(path)
  try {
    return await compactOpen(thread, folder, options)
  } catch (error) {
    throw failureOf(path, error)
  } finally {
    await thread.close()
  }
}

async function compactOpen(
  thread: SqliteThread,
  folder: string,
  { fileBytes }: CompactOptions,
): Promise<CompactedStore> {
  const path = join(folder, databaseName)
  const before = await readSizes(thread, path)
  const database = databaseOnSqlite(thread)
  const bytes = fileBytesOf(folder, fileBytes)
  const finishedRemovals = await finishRemovals(database, {
    files: createFiles(database, { bytes, unsaved: createUnsavedFiles(database, { bytes }) }),
    log: createSqliteLogStore(thread),
  })
  await thread.compact()
  const after = await readSizes(thread, path)
  return { before, after, finishedRemovals, contents: await contentsOf(thread) }
}

/** Counts all rows. All entries of the logs must have been moved out of the tail. */
async function contentsOf(sql: Sql): Promise<StoreContents> {
  const tables = ['chats', 'messages', 'log_entries']
  const counts = await sql.read(
    tables.map(table => ({ sql: `select count(*) as n from ${table}`, sets: [[]] })),
  )
  const [chats = 0, messages = 0, entries = 0] = counts.map(([row]) => Number(row?.['n']))
  return { chats, messages, entries }
}

/** Returns what went wrong, with the path and what to do. Errors that are bugs are returned as they are. */
function failureOf(path: string, error: unknown): unknown {
  if (error instanceof SqlError)
    return new SqlError(error.code, `The database ${path} cannot be compacted: ${adviceFor(error)}`)
  if (error instanceof FileBytesError)
    return new SqlError('unwritable', `The database ${path} cannot be compacted: ${error.message}`)
  // A file of a deleted chat cannot be deleted.
  if (error instanceof Error && 'syscall' in error)
    return new SqlError('unwritable', `The database ${path} cannot be compacted: ${error.message}.`)
  return error
}

function adviceFor({ code, message }: SqlError): string {
  const reason = message.replace(/\.$/, '')
  switch (code) {
    case 'full':
      return 'its disk is full. While it works, there must be room for two copies of the contents. Nothing is lost. Make room, and try again.'
    case 'unwritable':
      return `${reason}. Nothing is lost. Look whether the disk is sound, and whether this user may write there.`
    case 'damaged':
      return `${reason}. Restore it from a backup.`
    default:
      return `${reason}. Nothing is lost.`
  }
}
