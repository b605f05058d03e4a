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

// This file is a program. It unpacks the browser and prints its path. The package unpacks into the temporary folder of its
// process, and that takes seconds. In a process of its own, this does not disturb the server.

const [cache = '', readers = 'owner'] = process.argv.slice(2)
const about = new URL('../package.json', import.meta.resolve('@sparticuz/chromium'))
const { version } = z.object({ version: z.string() }).parse(JSON.parse(readFileSync(about, 'utf8')))
const folder = join(cache, `chromium-${version}`)
const executable = join(folder, 'chromium')
if (!existsSync(executable)) await unpack()
process.stdout.write(executable)

/** Unpacks into another folder first and renames it at the end: other servers may do the same at this moment. */
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
    // Another process may have been faster.
    if (!existsSync(executable)) throw error
  }

  /** Lets all users read and start the browser, as any program. Only we may change it. */
  function openToReaders(): void {
    chmodSync(cache, 0o755)
    for (const path of [
      unpacking,
      ...readdirSync(unpacking, { recursive: true }).map(name => join(unpacking, String(name))),
    ])
      chmodSync(path, statSync(path).isDirectory() || statSync(path).mode & 0o100 ? 0o755 : 0o644)
  }
}
