import { mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { databaseName } from '../database-name.ts'
import { BackupError } from './backup-error.ts'
import { type CopiedFiles, copyFiles } from './copy-files.ts'

/** What a backup holds. */
export interface StoreBackup extends CopiedFiles {
  readonly databaseBytes: number
}

/** Where a backup comes from. */
export interface BackupSource {
  /** The data folder. */
  readonly folder: string
  /** Copies the database to a file that does not exist yet. */
  readonly copyDatabase: (path: string) => Promise<void>
}

/**
 * Makes a backup: a folder that a server can be started on. It appears at `target` when it is complete and durable, and
 * not before. Throws a `BackupError`.
 *
 * The database is copied first. A file is written before its row and deleted after it, so every row of the copy has
 * its file. Only the files of a chat that somebody deletes meanwhile may be missing.
 */
export async function writeBackup(
  { folder, copyDatabase }: BackupSource,
  target: string,
): Promise<StoreBackup> {
  if (await exists(target))
    throw new BackupError(
      'exists',
      `There is something at ${target} already. Name a folder that does not exist.`,
    )
  const partial = `${target}.part`
  try {
    // What a backup that was interrupted has left.
    await rm(partial, { recursive: true, force: true })
    await mkdir(partial, { recursive: true, mode: 0o700 })
    const database = join(partial, databaseName)
    await createPrivate(database)
    await copyDatabase(database)
    const { size } = await stat(database)
    const copied = await copyFiles(join(folder, 'files'), join(partial, 'files'))
    await sync(partial)
    await rename(partial, target)
    await sync(dirname(target))
    return { databaseBytes: size, ...copied }
  } catch (error) {
    // When this fails too, the first failure is the one to tell.
    await rm(partial, { recursive: true, force: true }).catch(() => undefined)
    throw error instanceof BackupError ? error : failed(target, error)
  }
}

function failed(target: string, error: unknown): BackupError {
  const reason = (error instanceof Error ? error.message : String(error)).replace(/\.$/, '')
  return new BackupError(
    'failed',
    `The backup at ${target} could not be written: ${reason}. Look whether there is room, and whether the user of the server may write there.`,
  )
}

/** SQLite takes an empty file for a new database. */
async function createPrivate(path: string): Promise<void> {
  await (await open(path, 'wx', 0o600)).close()
}

async function exists(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined)
  return found !== undefined
}

/** Makes the names in a folder durable. Windows cannot open folders, and does not need this. */
async function sync(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
