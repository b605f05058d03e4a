import { fileURLToPath } from 'node:url'
import type { TestBrowser } from '@throughline/testing/browser/browser'
import {
  startTestServer,
  type TestServer,
  type TestServerOptions,
} from '@throughline/testing/server/test-server'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { expect } from 'vitest'

const pageFolder = fileURLToPath(new URL('../dist', import.meta.url))

export interface ConsoleOptions extends TestServerOptions {
  readonly browserContext?: BrowserContextOptions
}

export interface Console extends AsyncDisposable {
  readonly server: TestServer
  readonly page: Page
  /** Another tab of the same browser. */
  newTab(): Promise<Page>
}

/** Opens the built page in a real browser, with a real server. */
export async function openConsole(
  { browser }: Pick<TestBrowser, 'browser'>,
  { browserContext, ...options }: ConsoleOptions,
): Promise<Console> {
  const server = await startTestServer({ ...options, pageFolder })
  const context = await browser.newContext({ locale: 'en-US', ...browserContext })
  return {
    server,
    page: await context.newPage(),
    newTab: () => context.newPage(),
    async [Symbol.asyncDispose]() {
      await context.close()
      await server[Symbol.asyncDispose]()
    },
  }
}

export async function send(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Write a message…' }).fill(text)
  await page.keyboard.press('Enter')
}

export function answers(page: Page) {
  return page.locator('article[data-role=assistant]')
}

/** Returns every message on the page as a person reads it: the speaker and the text. */
export function shownMessages(page: Page): Promise<readonly string[]> {
  return page.locator('article[data-role=user], article[data-role=assistant]').evaluateAll(all =>
    all.map(each => {
      const texts = each.querySelectorAll('.prose, [data-text]')
      return `${each.getAttribute('data-role')}: ${[...texts].map(text => text.textContent).join('|')}`
    }),
  )
}

/** Waits until the page shows these messages and no others. */
export async function untilShown(page: Page, messages: readonly string[]): Promise<void> {
  await expect.poll(() => shownMessages(page)).toEqual(messages)
}
