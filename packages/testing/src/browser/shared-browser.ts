import type { Browser } from 'playwright-core'
import { inject } from 'vitest'
import { startChromium, type TestBrowser } from './browser.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Where the browsers that tests share keep their temporary files. */
    readonly browserFolder: string
  }
}

/**
 * Returns the Chromium that all test files of this process share, because starting one takes as long as a short test. Each
 * test makes a context of its own. When the last file that uses the browser disposes it, all contexts are closed; the
 * browser ends with the process.
 */
export async function sharedBrowser(): Promise<TestBrowser> {
  userCount += 1
  try {
    return { browser: await connectedBrowser(), [Symbol.asyncDispose]: leaveBrowser }
  } catch (error) {
    userCount -= 1
    throw error
  }
}

let userCount = 0
let running: Promise<Browser> | undefined

/** Starts a browser if there is none, or if a test has closed or crashed it. */
async function connectedBrowser(): Promise<Browser> {
  const found = await running
  if (found?.isConnected()) return found
  running = startChromium(inject('browserFolder'))
  return running
}

async function leaveBrowser(): Promise<void> {
  userCount -= 1
  const browser = await running
  if (userCount > 0 || browser === undefined) return
  await Promise.all(browser.contexts().map(context => context.close()))
}
