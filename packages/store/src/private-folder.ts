import { chmod, lstat, mkdir, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'

const privateFolder = 0o700
const privateFile = 0o600

export interface PrivateFolderOptions {
  /** Told what could not be closed to other users of the machine, and what to do about it. */
  readonly report: (problem: string) => void
}

/**
 * Makes a data folder and its database file, and sees to it that only their owner can read what is in them. A folder
 * from before is closed with everything in it, unless it is plainly not ours alone.
 */
export async function openPrivateFolder(
  folder: string,
  databaseName: string,
  { report }: PrivateFolderOptions,
): Promise<void> {
  await mkdir(folder, { recursive: true, mode: privateFolder })
  // Windows has other means, and its folders are their owner's to begin with.
  if (process.platform === 'win32') return
  // SQLite gives the files beside it the rights of this one.
  await (await open(join(folder, databaseName), 'a', privateFile)).close()
  try {
    await closeFolder(folder, databaseName, report)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    report(`The rights of the data folder ${folder} could not be changed (${code}). Other users may read it.`)
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
    // It could be anything, such as the temporary folder of the whole machine.
    if (names.every(isOurs)) await chmod(folder, privateFolder)
    else
      report(
        `The data folder ${folder} is open to other users of this machine. There are other things in it, so its rights were not changed. Set THROUGHLINE_DATA to a folder of its own.`,
      )
  }
  for (const name of names.filter(isOurs)) {
    // Nobody else makes anything in there: when it is closed, so is what is in it.
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

async function isOpen(path: string): Promise<boolean> {
  return ((await lstat(path)).mode & 0o077) !== 0
}
