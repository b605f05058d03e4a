import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runCommand } from './run-command.ts'

/** Installs what the lock file of a folder names. Does nothing if that is installed already. */
export async function installLocked(folder: string): Promise<void> {
  const lock = createHash('sha256')
    .update(await readFile(join(folder, 'package-lock.json')))
    .digest('hex')
  const mark = join(folder, 'node_modules', '.installed')
  if ((await readFile(mark, 'utf8').catch(() => '')) === lock) return
  console.log(`Installing in ${folder}`)
  await runCommand(['npm', 'ci', '--ignore-scripts', '--prefer-offline', '--no-progress'], { cwd: folder })
  await writeFile(mark, lock)
}
