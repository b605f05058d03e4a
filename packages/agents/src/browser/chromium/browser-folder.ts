import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { SystemUser } from './browser-user.ts'

/** What one browser needs on the disk. */
export interface BrowserFolder {
  /** What to start: the browser, or a program that starts it as another user. */
  readonly executablePath: string
  /** The browser's own folder: its home, and where it puts what it needs for a while. */
  readonly home: string
  remove(): Promise<void>
}

/** Makes a temporary folder for one browser. With a user, the browser is started as that user. */
export async function openBrowserFolder(
  program: string,
  user: SystemUser | undefined,
): Promise<BrowserFolder> {
  const folder = await mkdtemp(join(tmpdir(), 'throughline-browser-'))
  const home = join(folder, 'home')
  const remove = () => rm(folder, { recursive: true, force: true })
  try {
    await mkdir(home, { mode: 0o700 })
    if (user === undefined) return { executablePath: program, home, remove }
    // The other user passes through, and owns nothing here but its home: what root starts is root's.
    await chmod(folder, 0o711)
    await chown(home, user.uid, user.gid)
    const executablePath = join(folder, 'browser')
    await writeFile(executablePath, startScript(program, user), { mode: 0o700 })
    return { executablePath, home, remove }
  } catch (error) {
    await remove()
    throw error
  }
}

// Playwright starts one program and adds arguments to it, so the ones before those stand in a script.
function startScript(program: string, { uid, gid }: SystemUser): string {
  const starter = fileURLToPath(new URL('./start-as-user.ts', import.meta.url))
  const words = [process.execPath, starter, `${uid}`, `${gid}`, program]
  return `#!/bin/sh\nexec ${words.map(quoted).join(' ')} "$@"\n`
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}
