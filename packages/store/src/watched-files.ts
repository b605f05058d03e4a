import { stat } from 'node:fs/promises'

/** Files that a process has open, and that somebody else may delete, move or replace meanwhile. */
export interface WatchedFiles {
  /** Returns the first path that no longer leads to the file that was there at first; `undefined` when all do. */
  firstLost(): Promise<string | undefined>
}

/**
 * Remembers which files stand at these paths now. A process that has a file open goes on writing to it after its path
 * is gone, and notices nothing: what it writes then is lost when it ends.
 */
export async function watchFiles(paths: readonly string[]): Promise<WatchedFiles> {
  const known = await Promise.all(paths.map(async path => ({ path, identity: await identityOf(path) })))
  return {
    async firstLost() {
      for (const { path, identity } of known) {
        if ((await identityOf(path)) !== identity) return path
      }
      return undefined
    },
  }
}

/** Returns what tells a file from every other file on this machine; `undefined` when the path leads to none. */
async function identityOf(path: string): Promise<string | undefined> {
  // On Windows, inode numbers can be larger than a `number` can hold.
  const found = await stat(path, { bigint: true }).catch(() => undefined)
  return found && `${found.dev}:${found.ino}`
}
