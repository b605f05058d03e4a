import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Place } from './scenarios/scenario.ts'
import { openServerPool } from './server/server-pool.ts'
import { Witness } from './witness/witness.ts'

/** Prepares what all scenarios share, in a folder for temporary files. Disposing ends all processes and removes the folder. */
export async function openRack(): Promise<Place & AsyncDisposable> {
  const folder = await mkdtemp(join(tmpdir(), 'throughline-torture-'))
  const pool = await openServerPool(`${folder}/program`, { waiting: 4 })
  const witness = new Witness()
  return {
    folder,
    pool,
    witness,
    async [Symbol.asyncDispose]() {
      await pool[Symbol.asyncDispose]()
      await witness[Symbol.asyncDispose]()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
