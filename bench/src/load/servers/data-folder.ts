import { mkdtemp, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const tmpfs = 0x01021994

/** Makes a temporary folder on a disk. In a folder in memory an fsync would cost nothing. */
export async function makeDataFolder(): Promise<string> {
  const { type } = await statfs(tmpdir())
  return mkdtemp(join(type === tmpfs ? '/var/tmp' : tmpdir(), 'throughline-load-'))
}
