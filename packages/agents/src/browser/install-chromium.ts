import { execFile } from 'node:child_process'
import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { BrowserError } from './browser-error.ts'
import { browserUser } from './browser-user.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Resolves to the path of the browser from npm. It is unpacked once per machine, into the user's cache. */
export async function installChromium(env: Environment): Promise<string> {
  if (process.platform !== 'linux') {
    throw new BrowserError('no-browser', 'This server has no browser. Its operator can install Chrome.')
  }
  // A fixed name in the temporary folder would not be safe: other users could put their own program there.
  return unpackInto(join(cacheOf(env), 'throughline')).catch(() => unpackForNow())
}

/** Other users cannot read root's own cache, but on a server of root another user starts the browser. */
function cacheOf(env: Environment): string {
  return env['XDG_CACHE_HOME'] || (browserUser() === undefined ? join(homedir(), '.cache') : '/var/cache')
}

/** Unpacks for this process only, when the cache cannot be written. */
async function unpackForNow(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'throughline-chromium-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return unpackInto(folder)
}

const run = promisify(execFile)

async function unpackInto(cache: string): Promise<string> {
  const program = fileURLToPath(new URL(`./unpack-chromium${extname(import.meta.url)}`, import.meta.url))
  const readers = browserUser() === undefined ? 'owner' : 'everybody'
  const { stdout } = await run(process.execPath, [program, cache, readers], { env: {} })
  return stdout
}
