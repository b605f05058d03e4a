import { open } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

/**
 * Makes the names in a folder survive a power loss: those of new files and folders, and of those that were renamed or
 * removed. Windows cannot open folders, and does not need this.
 */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/**
 * Makes a folder survive a power loss, with all folders above it that were made together with it: `first` is the highest of
 * them, as `mkdir` returns it. A folder that was there already may not be safe either: whoever made it may have been
 * killed just after that.
 */
export async function syncAbove(folder: string, first: string | undefined): Promise<void> {
  for (let made = resolve(folder); ; made = dirname(made)) {
    await syncFolder(dirname(made))
    if (first === undefined || made.length <= resolve(first).length) return
  }
}

/** For `catch`: returns `undefined` when the file or folder does not exist. Throws every other error. */
export function absent(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
  throw error
}
