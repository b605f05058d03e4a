import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import chromium from '@sparticuz/chromium'
import { type Browser, chromium as playwright } from 'playwright-core'

export interface TestBrowser extends AsyncDisposable {
  readonly browser: Browser
}

// A browser in a test talks to the server under test and to nobody else.
const quiet = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--disable-quic',
]

/**
 * A real Chromium: the one that npm brings on Linux, the system's Chrome elsewhere (or where CHROME_PATH says).
 * `args` are more of its own options.
 */
export async function launchBrowser({
  args = [],
}: {
  readonly args?: readonly string[]
} = {}): Promise<TestBrowser> {
  const folder = await mkdtemp(join(tmpdir(), 'throughline-browser-'))
  const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  const found =
    process.env['CHROME_PATH'] ?? (process.platform === 'linux' ? await unpacked(folder) : undefined)
  const browser = await playwright.launch({
    headless: true,
    args: [...quiet, ...asRoot, ...args],
    env: { ...definedEnv(), TMPDIR: folder },
    ...(found === undefined ? { channel: 'chrome' } : { executablePath: found }),
  })
  return {
    browser,
    async [Symbol.asyncDispose]() {
      await browser.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

// It unpacks itself into the temporary folder it finds, and would find another's half-unpacked copy there.
async function unpacked(folder: string): Promise<string> {
  const before = process.env['TMPDIR']
  process.env['TMPDIR'] = folder
  try {
    return await chromium.executablePath()
  } finally {
    if (before === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = before
  }
}

function definedEnv(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}
