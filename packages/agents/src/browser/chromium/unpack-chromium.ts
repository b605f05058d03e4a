import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

// A program of its own: the package unpacks into the temporary folder of its process, and while it does so, which takes
// seconds, no other code of the server should be in that folder, or wait for it. Says where the browser is.

const [cache = '', readers = 'owner'] = process.argv.slice(2)
const about = new URL('../package.json', import.meta.resolve('@sparticuz/chromium'))
const { version } = z.object({ version: z.string() }).parse(JSON.parse(readFileSync(about, 'utf8')))
const folder = join(cache, `chromium-${version}`)
const executable = join(folder, 'chromium')
if (!existsSync(executable)) await unpack()
process.stdout.write(executable)

/** All of it under its name or nothing: other servers may look for it, or unpack it too, at this moment. */
async function unpack(): Promise<void> {
  mkdirSync(cache, { recursive: true, mode: 0o700 })
  const unpacking = mkdtempSync(join(cache, 'unpacking-'))
  process.env['TMPDIR'] = unpacking
  try {
    const { default: chromium } = await import('@sparticuz/chromium')
    await chromium.executablePath()
    if (readers === 'everybody') openToReaders()
    renameSync(unpacking, folder)
  } catch (error) {
    rmSync(unpacking, { recursive: true, force: true })
    // Another one was faster.
    if (!existsSync(executable)) throw error
  }

  /** Another user is to start the browser. Everybody may read it, as they may read any program, and only we may change it. */
  function openToReaders(): void {
    chmodSync(cache, 0o755)
    for (const path of [
      unpacking,
      ...readdirSync(unpacking, { recursive: true }).map(name => join(unpacking, String(name))),
    ])
      chmodSync(path, statSync(path).isDirectory() || statSync(path).mode & 0o100 ? 0o755 : 0o644)
  }
}
