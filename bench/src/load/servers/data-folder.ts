import { mkdtemp, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const tmpfs = 0x01021994

/** Makes a temporary folder on a disk. */
export async function makeDataFolder(): Promise<string> {
  return mkdtemp(join(await temporaryDisk(), 'throughline-load-'))
}

/** Returns the folder for temporary files that is on a disk. In a folder in memory an fsync would cost nothing. */
export async function temporaryDisk(): Promise<string> {
  const { type } = await statfs(tmpdir())
  return type === tmpfs ? '/var/tmp' : tmpdir()
}
