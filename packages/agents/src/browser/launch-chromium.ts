import { existsSync } from 'node:fs'
import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser } from 'playwright-core'
import { BrowserError } from './browser-error.ts'
import { browserUser, type SystemUser } from './browser-user.ts'
import { installChromium } from './install-chromium.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** The options of the launcher. All of them may be left out. */
export interface LauncherOptions {
  /** Is called once when the browser has less protection than possible, with what to do about it. */
  readonly warn?: ((message: string) => void) | undefined
}

/** How a browser is started: as which user, and with or without its own sandbox. */
interface Manner {
  readonly user: SystemUser | undefined
  readonly hasSandbox: boolean
  readonly warning: string | undefined
}

/** Makes a function that launches a browser: the system's, or the one from npm. */
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
      // Other ways have failed here, so they are not tried again.
      manners = [manner]
      if (manner.warning !== undefined && !hasWarned) warn(manner.warning)
      hasWarned = true
      return browser
    } catch (error) {
      // The next launch searches again: the operator may have repaired the browser by then.
      found = undefined
      throw noBrowser(error)
    }
  }
}

/** Returns the ways to start a browser here, the safest first. */
function mannersOf(env: Environment): readonly Manner[] {
  const isOff = env['THROUGHLINE_BROWSER_SANDBOX'] === 'off'
  // Without root there is one way. It fails with an error rather than with less protection than expected.
  if (process.getuid?.() !== 0) return [{ user: undefined, hasSandbox: !isOff, warning: undefined }]
  const user = browserUser()
  const ways: readonly Manner[] = [
    { user, hasSandbox: true, warning: undefined },
    { user, hasSandbox: false, warning: isOff ? undefined : noSandbox },
    { user: undefined, hasSandbox: false, warning: asRoot },
  ]
  // A browser with a sandbox does not start as root.
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
      // A slow machine must not lead to less protection.
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
  // The folder is removed with the browser.
  const folder = await openBrowserFolder(executablePath, user)
  try {
    // Loaded only when it is needed: the agents of many servers never browse.
    const { chromium } = await import('playwright-core')
    const browser = await chromium.launch({
      executablePath: folder.executablePath,
      headless: true,
      timeout: launchTimeoutMs,
      chromiumSandbox: hasSandbox,
      args: [...quiet],
      env: { ...environmentFrom(env, dirname(executablePath)), HOME: folder.home, TMPDIR: folder.home },
      // Every page gets its own proxy. All other requests go to this address, where nothing listens.
      proxy: { server: 'http://127.0.0.1:1' },
      // The server handles signals: it ends its runs first.
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    })
    // A failure does not matter: it is only a temporary folder.
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
  // Only the gate looks up names, because it checks the addresses.
  '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
  // Without this, WebRTC goes around the proxy. Browsers know it by one of these names: Chromium 156 only by the second.
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
] as const

// The browser does not get the server's environment: it contains keys, and a browser runs code of strangers.
function environmentFrom(env: Environment, programFolder: string): Record<string, string> {
  const names = ['PATH', 'LANG', 'LD_LIBRARY_PATH', 'FONTCONFIG_PATH', 'SystemRoot', 'ProgramFiles']
  const given = names.flatMap(name => (env[name] === undefined ? [] : [[name, env[name]]]))
  // The browser from npm comes with fonts, for machines without any.
  const fonts = existsSync('/etc/fonts') ? {} : { FONTCONFIG_PATH: join(programFolder, 'fonts') }
  return { ...fonts, ...Object.fromEntries(given) }
}

/** The files of one browser. */
interface BrowserFolder {
  /** The program to start: the browser, or a script that starts it as another user. */
  readonly executablePath: string
  /** The home folder of the browser, also for its temporary files. */
  readonly home: string
  remove(): Promise<void>
}

/** Makes a temporary folder for one browser. With a user, the browser is started as that user. */
async function openBrowserFolder(program: string, user: SystemUser | undefined): Promise<BrowserFolder> {
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

/** Returns the path of the system's browser: `CHROME_PATH`, or one of the usual paths. */
export function findChromium(env: Environment): string | undefined {
  const named = env['CHROME_PATH']
  return named !== undefined && named !== '' ? named : usualPaths(env).find(path => existsSync(path))
}

// Browsers in a snap are left out: they may not use the folders and pipes that they would get.
function usualPaths(env: Environment): readonly string[] {
  switch (process.platform) {
    case 'linux':
      return [
        '/usr/bin/google-chrome-stable',
        '/usr/bin/google-chrome',
        '/opt/google/chrome/chrome',
        '/usr/lib/chromium/chromium',
        '/usr/lib64/chromium-browser/chromium-browser',
        '/usr/bin/microsoft-edge',
      ]
    case 'darwin':
      return [
        '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
        '/Applications/Chromium.app/Contents/MacOS/Chromium',
        '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
      ]
    case 'win32':
      return ['ProgramFiles', 'ProgramFiles(x86)', 'LOCALAPPDATA'].flatMap(name => {
        const folder = env[name]
        if (folder === undefined) return []
        return [
          join(folder, 'Google', 'Chrome', 'Application', 'chrome.exe'),
          join(folder, 'Microsoft', 'Edge', 'Application', 'msedge.exe'),
        ]
      })
    default:
      return []
  }
}
