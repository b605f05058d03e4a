import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { installChromium } from '@throughline/agents/testing'
import { type Browser, chromium as playwright } from 'playwright-core'

export interface TestBrowser extends AsyncDisposable {
  readonly browser: Browser
}

// The browser talks to the server under test only.
const quiet = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--disable-quic',
]

/**
 * Starts a real Chromium: what CHROME_PATH names, else on Linux the one that npm brought, else the system's Chrome.
 * `args` are additional command line options of Chromium.
 */
export async function launchBrowser({
  args = [],
}: {
  readonly args?: readonly string[]
} = {}): Promise<TestBrowser> {
  const folder = await mkdtemp(join(tmpdir(), 'throughline-browser-'))
  const browser = await startChromium(folder, args)
  return {
    browser,
    async [Symbol.asyncDispose]() {
      await browser.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Starts the same Chromium. Its temporary files are in the folder, which is not removed. */
export async function startChromium(folder: string, args: readonly string[] = []): Promise<Browser> {
  const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  const found =
    process.env['CHROME_PATH'] ?? (process.platform === 'linux' ? await chromiumFromNpm() : undefined)
  const browser = await playwright.launch({
    headless: true,
    args: [...quiet, ...asRoot, ...args],
    env: { ...definedEnv(), TMPDIR: folder },
    ...(found === undefined ? { channel: 'chrome' } : { executablePath: found }),
  })
  browser.on('context', context => context.setDefaultTimeout(maxWaitMs))
  return browser
}

/** Playwright's own limit is shorter than a busy machine can need for a page. A test has 120 seconds. */
const maxWaitMs = 100_000

let path: Promise<string> | undefined

/** Memoised, because it starts a process. */
function chromiumFromNpm(): Promise<string> {
  path ??= installChromium(process.env)
  return path
}

function definedEnv(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}
