import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Browser } from 'playwright-core'
import { BrowserError } from './browser-error.ts'
import { findChromium } from './find-chromium.ts'
import { installChromium } from './install-chromium.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Launches browsers: the system's, or the one that npm brought. */
export function chromiumLauncher(env: Environment): () => Promise<Browser> {
  let found: Promise<string> | undefined
  const find = async () => findChromium(env) ?? (await installChromium(env))
  return async () => {
    // A folder for this browser alone, gone with it.
    const folder = await mkdtemp(join(tmpdir(), 'throughline-browser-'))
    const remove = () => rm(folder, { recursive: true, force: true })
    try {
      found ??= find()
      const browser = await launch(await found, { env, folder })
      // Nothing depends on it, and what cannot be removed is only a temporary folder.
      browser.once('disconnected', () => remove().catch(() => undefined))
      return browser
    } catch (error) {
      // Looked for again the next time: its operator may have repaired it by then.
      found = undefined
      await remove()
      throw noBrowser(error)
    }
  }
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
  { env, folder }: { readonly env: Environment; readonly folder: string },
): Promise<Browser> {
  // Loaded here, so that a server whose agents never browse does not load it.
  const { chromium } = await import('playwright-core')
  return chromium.launch({
    executablePath,
    headless: true,
    timeout: launchTimeoutMs,
    chromiumSandbox: process.getuid?.() !== 0 && env['THROUGHLINE_BROWSER_SANDBOX'] !== 'off',
    args: [...quiet],
    env: { ...environmentFrom(env, dirname(executablePath)), HOME: folder, TMPDIR: folder },
    // Every page gets a proxy of its own. Whatever is not a page's request ends here, where nobody listens.
    proxy: { server: 'http://127.0.0.1:1' },
    // Signals are the server's, which ends its runs first.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  })
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
