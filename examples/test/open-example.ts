import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startTestServer, type TestServerOptions } from '@throughline/testing/server/test-server'
import type { Browser, Page } from 'playwright-core'
import { build } from 'vite'

export interface OpenExample extends AsyncDisposable {
  readonly page: Page
  /** What the page has complained about. */
  readonly problems: readonly string[]
}

/** Builds an example, serves it with a real server, and opens it in the browser. */
export async function openExample(
  browser: Browser,
  name: string,
  options: TestServerOptions = {},
): Promise<OpenExample> {
  await using stack = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'throughline-example-'))
  stack.defer(() => rm(folder, { recursive: true }))
  await build({
    root: fileURLToPath(new URL(`../${name}`, import.meta.url)),
    configFile: fileURLToPath(new URL('../vite.config.ts', import.meta.url)),
    logLevel: 'warn',
    build: { outDir: folder, emptyOutDir: true },
  })
  const server = stack.use(await startTestServer({ ...options, pageFolder: folder }))
  const page = await browser.newPage()
  stack.defer(() => page.close())
  const problems: string[] = []
  page.on('pageerror', error => problems.push(error.message))
  page.on('console', message => {
    // A chat that has no message yet is not found, and Chromium says so.
    if (message.type() === 'error' && !message.text().includes('404')) problems.push(message.text())
  })
  await page.goto(server.url)
  const kept = stack.move()
  return { page, problems, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}
