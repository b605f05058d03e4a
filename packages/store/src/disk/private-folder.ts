import { chmod, lstat, mkdir, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { syncAbove } from './folders.ts'

/** The name of the database file in the data folder. */
export const databaseName = 'throughline.sqlite'

const privateFolder = 0o700
const privateFile = 0o600

/** The options of a private folder. */
export interface PrivateFolderOptions {
  /** Called with what could not be made private or safe, and what to do about it. */
  readonly report: (problem: string) => void
}

/**
 * Makes a data folder and its database file, and lets only their owner read them. If the folder exists, the rights of
 * the folder and of our files in it are changed. A folder that holds other things too keeps its own rights.
 */
export async function openPrivateFolder(
  folder: string,
  databaseName: string,
  { report }: PrivateFolderOptions,
): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: privateFolder })
  try {
    await syncAbove(folder, first)
  } catch (error) {
    // For example, this user may not read the folder above. The server can work all the same.
    report(
      `The name of the data folder ${folder} could not be synced (${codeOf(error)}). If the power fails in the next minute, the folder may be lost.`,
    )
  }
  // Windows has other rights, and there a new folder belongs to its owner alone.
  if (process.platform === 'win32') return
  // SQLite makes more files beside the database file, and gives them the same rights.
  await (await open(join(folder, databaseName), 'a', privateFile)).close()
  try {
    await closeFolder(folder, databaseName, report)
  } catch (error) {
    report(
      `The rights of the data folder ${folder} could not be changed (${codeOf(error)}). Other users may read it.`,
    )
  }
}

async function closeFolder(
  folder: string,
  databaseName: string,
  report: (problem: string) => void,
): Promise<void> {
  const names = await readdir(folder)
  const isOurs = (name: string) => name === 'files' || name.startsWith(databaseName)
  if (await isOpen(folder)) {
    // A folder with other things in it could be any folder, such as the temporary folder of the whole machine.
    if (names.every(isOurs)) await chmod(folder, privateFolder)
    else
      report(
        `The data folder ${folder} is open to other users of this machine. There are other things in it, so its rights were not changed. Set THROUGHLINE_DATA to a folder of its own.`,
      )
  }
  for (const name of names.filter(isOurs)) {
    // If a folder is closed already, so is everything in it: nobody else makes files there.
    if (await isOpen(join(folder, name))) await closeAll(join(folder, name))
  }
}

/** Closes a file, or a folder with everything in it. */
async function closeAll(path: string): Promise<void> {
  const waiting = [path]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const found = await lstat(next)
    if (found.isDirectory()) {
      await chmod(next, privateFolder)
      for (const name of await readdir(next)) waiting.push(join(next, name))
    } else if (found.isFile()) await chmod(next, privateFile)
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
}

async function isOpen(path: string): Promise<boolean> {
  return ((await lstat(path)).mode & 0o077) !== 0
}
