import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Browser } from 'playwright-core'
import { BrowserError } from '../browser-error.ts'
import { openBrowserFolder } from './browser-folder.ts'
import { browserUser, type SystemUser } from './browser-user.ts'
import { findChromium } from './find-chromium.ts'
import { installChromium } from './install-chromium.ts'

type Environment = Readonly<Record<string, string | undefined>>

export interface LauncherOptions {
  /** Told once when the browser has less protection than it could have, and what to do about it. */
  readonly warn?: ((message: string) => void) | undefined
}

/** How a browser is started: as whom, and with or without the sandbox that it has itself. */
interface Manner {
  readonly user: SystemUser | undefined
  readonly hasSandbox: boolean
  readonly warning: string | undefined
}

/** Launches browsers: the system's, or the one that npm brought. */
export function chromiumLauncher(
  env: Environment,
  { warn = () => undefined }: LauncherOptions = {},
): () => Promise<Browser> {
  let found: Promise<string> | undefined
  let manners = mannersOf(env)
  let hasWarned = false
  const find = async () => findChromium(env) ?? (await installChromium(env))
  return async () => {
    try {
      found ??= find()
      const { browser, manner } = await launchFirst(await found, manners, env)
      // What did not work here is not tried again.
      manners = [manner]
      if (manner.warning !== undefined && !hasWarned) warn(manner.warning)
      hasWarned = true
      return browser
    } catch (error) {
      // Looked for again the next time: its operator may have repaired it by then.
      found = undefined
      throw noBrowser(error)
    }
  }
}

/** The ways to start a browser here, the safest first. */
function mannersOf(env: Environment): readonly Manner[] {
  const isOff = env['THROUGHLINE_BROWSER_SANDBOX'] === 'off'
  // A user who is no root decides for themselves, and gets an error rather than less than they think.
  if (process.getuid?.() !== 0) return [{ user: undefined, hasSandbox: !isOff, warning: undefined }]
  const user = browserUser()
  const ways: readonly Manner[] = [
    { user, hasSandbox: true, warning: undefined },
    { user, hasSandbox: false, warning: isOff ? undefined : noSandbox },
    { user: undefined, hasSandbox: false, warning: asRoot },
  ]
  // A browser refuses to start as root with a sandbox.
  const possible = user === undefined ? ways.slice(-1) : ways
  return isOff ? possible.filter(({ hasSandbox }) => !hasSandbox) : possible
}

const noSandbox =
  'The browser of the agents runs as the user nobody, but without its own sandbox, which this machine does not allow. Allow user namespaces, or start Throughline as a user who is not root.'
const asRoot =
  'The browser of the agents runs as root and without a sandbox, so a page that breaks out of it can do anything on this machine. Start Throughline as a user who is not root.'

async function launchFirst(
  executablePath: string,
  manners: readonly Manner[],
  env: Environment,
): Promise<{ readonly browser: Browser; readonly manner: Manner }> {
  let failure: unknown
  for (const manner of manners) {
    try {
      return { browser: await launch(executablePath, manner, env), manner }
    } catch (error) {
      failure ??= error
      // A machine that is only slow must not lead to less protection.
      if (error instanceof Error && error.name === 'TimeoutError') break
    }
  }
  throw failure
}

function noBrowser(error: unknown): BrowserError {
  if (error instanceof BrowserError) return error
  const message =
    'The browser of this server does not start. Its operator can set CHROME_PATH to another one.'
  return new BrowserError('no-browser', message, { cause: error })
}

const launchTimeoutMs = 20_000

async function launch(
  executablePath: string,
  { user, hasSandbox }: Manner,
  env: Environment,
): Promise<Browser> {
  // A folder for this browser alone, gone with it.
  const folder = await openBrowserFolder(executablePath, user)
  try {
    // Loaded here, so that a server whose agents never browse does not load it.
    const { chromium } = await import('playwright-core')
    const browser = await chromium.launch({
      executablePath: folder.executablePath,
      headless: true,
      timeout: launchTimeoutMs,
      chromiumSandbox: hasSandbox,
      args: [...quiet],
      env: { ...environmentFrom(env, dirname(executablePath)), HOME: folder.home, TMPDIR: folder.home },
      // Every page gets a proxy of its own. Whatever is not a page's request ends here, where nobody listens.
      proxy: { server: 'http://127.0.0.1:1' },
      // Signals are the server's, which ends its runs first.
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    })
    // Nothing depends on it, and what cannot be removed is only a temporary folder.
    browser.once('disconnected', () => folder.remove().catch(() => undefined))
    return browser
  } catch (error) {
    await folder.remove()
    throw error
  }
}

const quiet = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--disable-quic',
  '--no-pings',
  // Names are looked up by the gate alone, which checks the answers.
  '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
  // Calls between browsers go around proxies, unless they are told not to.
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
] as const

// Not the server's own environment: it holds keys, and a browser runs what strangers wrote.
function environmentFrom(env: Environment, programFolder: string): Record<string, string> {
  const names = ['PATH', 'LANG', 'LD_LIBRARY_PATH', 'FONTCONFIG_PATH', 'SystemRoot', 'ProgramFiles']
  const given = names.flatMap(name => (env[name] === undefined ? [] : [[name, env[name]]]))
  // The browser that npm brought has fonts beside it, for machines without any.
  const fonts = existsSync('/etc/fonts') ? {} : { FONTCONFIG_PATH: join(programFolder, 'fonts') }
  return { ...fonts, ...Object.fromEntries(given) }
}
