import { cp, mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { SeededRandom } from '@throughline/agents/testing'
import type { RestoredData } from './restored-data.ts'

/**
 * - `command`: what `throughline backup` does while the server runs.
 * - `copy`: the server is killed, and its folder is copied.
 */
export type FolderBackup = 'command' | 'copy'

interface FolderOptions {
  /** An empty folder. */
  readonly folder: string
  readonly backup: FolderBackup
  readonly random: SeededRandom
}

/** Returns a data folder with SQLite. */
export async function restoredFolder({ folder, backup, random }: FolderOptions): Promise<RestoredData> {
  const [data, copy] = [join(folder, 'data'), join(folder, 'backup')]
  await mkdir(data, { recursive: true })
  const isInPlace = random.next() < 0.4
  let restored = 0
  return {
    kind: `SQLite ${backup}${isInPlace ? ' into the same files' : ''}`,
    nodes: 1,
    storeOf: () => ({ type: 'sqlite', folder: data }),
    witnessUrl: () => undefined,
    async backUp(cluster) {
      if (backup === 'command') return cluster.backUp(copy)
      await cluster.killAll()
      await cp(data, copy, { recursive: true, preserveTimestamps: true })
      await cluster.startAgain()
    },
    async restore() {
      restored += 1
      if (isInPlace) await removeOthers(data, copy)
      else await rename(data, `${data}.broken-${restored}`)
      // Files that are there keep their place on the disk.
      await cp(copy, data, { recursive: true })
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

/** Removes what the backup does not have. A journal of the database would not belong to it any more. */
async function removeOthers(data: string, copy: string): Promise<void> {
  const kept = new Set(await readdir(copy))
  for (const name of await readdir(data))
    if (!kept.has(name)) await rm(join(data, name), { recursive: true, force: true })
}
