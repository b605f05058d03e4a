import { execFile } from 'node:child_process'
import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { BrowserError } from '../browser-error.ts'
import { browserUser } from './browser-user.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Where the browser is that npm brought. It is unpacked once per machine, into the user's cache. */
export async function installChromium(env: Environment): Promise<string> {
  if (process.platform !== 'linux') {
    throw new BrowserError('no-browser', 'This server has no browser. Its operator can install Chrome.')
  }
  // Not a folder with a name that others know in the temporary folder: they could put a program of theirs there.
  return unpackInto(join(cacheOf(env), 'throughline')).catch(() => unpackForNow())
}

/** Root's own cache can be read by nobody else, and the browser is to be started by somebody else then. */
function cacheOf(env: Environment): string {
  return env['XDG_CACHE_HOME'] || (browserUser() === undefined ? join(homedir(), '.cache') : '/var/cache')
}

/** For a home that cannot be written to: until this process ends. */
async function unpackForNow(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'throughline-chromium-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return unpackInto(folder)
}

const run = promisify(execFile)

async function unpackInto(cache: string): Promise<string> {
  const program = fileURLToPath(new URL('./unpack-chromium.ts', import.meta.url))
  const readers = browserUser() === undefined ? 'owner' : 'everybody'
  const { stdout } = await run(process.execPath, [program, cache, readers], { env: {} })
  return stdout
}
