import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { heldAgent, say } from '@throughline/testing/agent/scripted-agent'
import { launchBrowser, type TestBrowser } from '@throughline/testing/browser/browser'
import { replaced } from '@throughline/testing/proxies/replaced'
import { startDevServer } from '@throughline/testing/server/dev-server'
import { startTestServer } from '@throughline/testing/server/test-server'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { documented } from './proxies/documented.ts'

let chromium: TestBrowser
beforeAll(async () => {
  chromium = await launchBrowser()
})
afterAll(() => chromium[Symbol.asyncDispose]())

test('a page of Next with documented rewrites asks, streams and survives a reload', async () => {
  const { agent, letGo } = heldAgent('assistant', { before: [say('Well, ')], after: [say('yes.')] })
  await using server = await startTestServer({ agents: [agent] })
  const folder = fileURLToPath(new URL('next', import.meta.url))
  await using _config = await configured(
    join(folder, 'next.config.mjs'),
    await documentedFor(server.url, 'js'),
  )
  await using next = await startDevServer({
    folder,
    command: ['npm', 'exec', '--', 'next', 'dev', '--port', '0', '--hostname', 'localhost'],
    env: { NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'development' },
  })
  const page = await chromium.browser.newPage()
  await page.goto(next.url)
  await page.getByRole('button', { name: 'Ask' }).click()
  await shows(page, ['user: Is it?', 'assistant: Well, '])
  await page.reload()
  await shows(page, ['user: Is it?', 'assistant: Well, '])
  letGo()
  await shows(page, ['user: Is it?', 'assistant: Well, yes.'])
})

test('a page of Vite with the documented proxy asks, streams and survives a reload', async () => {
  const { agent, letGo } = heldAgent('assistant', { before: [say('Well, ')], after: [say('yes.')] })
  await using server = await startTestServer({ agents: [agent] })
  // Not the folder of the page: there a configuration of its own would be found.
  const config = fileURLToPath(new URL('.tmp/vite.config.ts', import.meta.url))
  await using _config = await configured(config, await documentedFor(server.url, 'ts'))
  await using vite = await startDevServer({
    folder: fileURLToPath(new URL('../examples', import.meta.url)),
    command: ['npm', 'exec', '--', 'vite', 'react-chat', '--config', config, '--port', '0'],
    env: { NODE_ENV: 'development' },
  })
  const page = await chromium.browser.newPage()
  await page.goto(vite.url)
  await page.getByPlaceholder('Write a message').fill('Is it?')
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByText('Well, ').waitFor()
  await page.reload()
  await page.getByText('Well, ').waitFor()
  letGo()
  await page.getByText('Well, yes.').waitFor()
})

/** A file that is there as long as it is needed. */
async function configured(file: string, content: string): Promise<AsyncDisposable> {
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, content)
  return { [Symbol.asyncDispose]: () => rm(file) }
}

/** A configuration as documented, for a server at another address. */
async function documentedFor(url: string, language: string): Promise<string> {
  const block = await documented(language)
  return replaced(block, { 'http://127.0.0.1:4000': url })
}

async function shows(page: Page, lines: readonly string[]): Promise<void> {
  await expect.poll(() => page.locator('main p').allTextContents(), { timeout: 30_000 }).toEqual(lines)
}
