import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { SystemUser } from './browser-user.ts'

/** The files of one browser. */
export interface BrowserFolder {
  /** The program to start: the browser, or a script that starts it as another user. */
  readonly executablePath: string
  /** The home folder of the browser, also for its temporary files. */
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
    // The other user may enter this folder, but it owns only its home. The script that root starts belongs to root.
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

// Playwright starts one program and appends its arguments. So our own arguments are in a script.
function startScript(program: string, { uid, gid }: SystemUser): string {
  const starter = fileURLToPath(new URL(`./start-as-user${extname(import.meta.url)}`, import.meta.url))
  const words = [process.execPath, starter, `${uid}`, `${gid}`, program]
  return `#!/bin/sh\nexec ${words.map(quoted).join(' ')} "$@"\n`
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}
