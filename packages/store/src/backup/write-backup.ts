import { constants } from 'node:fs'
import { copyFile, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { backup } from 'node:sqlite'
import { absent, syncAbove, syncFolder } from '../disk/folders.ts'
import { databaseName } from '../disk/private-folder.ts'
import { openAsItIs } from '../sqlite/open-database.ts'
import { markAsCopy } from '../sqlite/store-file.ts'

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

/** Thrown when a backup cannot be made. The message says what to do. Nothing of the backup is left behind. */
export class BackupError extends Error {
  override readonly name = 'BackupError'
  /**
   * - `exists`: there is something at the place of the backup.
   * - `busy`: another backup of the same data is under way.
   * - `failed`: the data cannot be read, or the backup cannot be written.
   */
  readonly code: 'exists' | 'busy' | 'failed'

  constructor(code: BackupError['code'], message: string) {
    super(message)
    this.code = code
  }
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
    await syncAbove(partial, await mkdir(partial, { recursive: true, mode: 0o700 }))
    const database = join(partial, databaseName)
    await createPrivate(database)
    await copyDatabase(database)
    markCopy(database)
    const { size } = await stat(database)
    const copied = await copyFiles(join(folder, 'files'), join(partial, 'files'))
    await syncFolder(partial)
    await rename(partial, target)
    await syncFolder(dirname(target))
    return { databaseBytes: size, ...copied }
  } catch (error) {
    // If this fails too, the first failure is the one to report.
    await rm(partial, { recursive: true, force: true }).catch(() => undefined)
    throw error instanceof BackupError ? error : failed(target, error)
  }
}

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

function failed(target: string, error: unknown): BackupError {
  const reason = (error instanceof Error ? error.message : String(error)).replace(/\.$/, '')
  return new BackupError(
    'failed',
    `The backup at ${target} could not be written: ${reason}. Look whether there is room, and whether the user of the server may write there.`,
  )
}

/** Positions of what came after the backup must not be valid in it, when it is restored. */
function markCopy(path: string): void {
  using database = openAsItIs(path)
  markAsCopy(database)
}

/** SQLite takes an empty file for a new database. */
async function createPrivate(path: string): Promise<void> {
  await (await open(path, 'wx', 0o600)).close()
}

async function exists(path: string): Promise<boolean> {
  // A place that this process may not look at fails again when the backup is written, with a reason.
  const found = await stat(path).catch(() => undefined)
  return found !== undefined
}

/** How much was copied. */
interface CopiedFiles {
  readonly fileCount: number
  readonly fileBytes: number
}

/**
 * Copies a folder of files, which others may add to and delete from meanwhile. A file that is deleted before it is copied
 * is left out, and so are files that are still being written. The copy survives a power loss as soon as the name of its
 * own folder does. Does nothing when there is no such folder.
 */
async function copyFiles(from: string, to: string): Promise<CopiedFiles> {
  let fileCount = 0
  let fileBytes = 0
  const folders = new Set<string>()
  for await (const path of pathsIn(from)) {
    const copy = join(to, relative(from, path))
    for (let above = dirname(copy); above.length >= to.length; above = dirname(above)) folders.add(above)
    const bytes = await copyOne(path, copy)
    if (bytes === undefined) continue
    fileCount += 1
    fileBytes += bytes
  }
  for (const folder of folders) await syncFolder(folder)
  return { fileCount, fileBytes }
}

/** Returns the size of the file; `undefined` when it is gone. */
async function copyOne(from: string, to: string): Promise<number | undefined> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 })
  try {
    // Some file systems copy without copying the bytes.
    await copyFile(from, to, constants.COPYFILE_FICLONE)
  } catch (error) {
    return absent(error)
  }
  const copy = await open(to, 'r+')
  try {
    await copy.sync()
    return (await copy.stat()).size
  } finally {
    await copy.close()
  }
}

async function* pathsIn(folder: string): AsyncGenerator<string> {
  const found = (await readdir(folder, { withFileTypes: true }).catch(absent)) ?? []
  for (const each of found) {
    const path = join(folder, each.name)
    if (each.isDirectory()) yield* pathsIn(path)
    // A file gets its name when it is complete.
    else if (each.isFile() && !each.name.endsWith('.part')) yield path
  }
}
