import { gzipSync } from 'node:zlib'
import { createDemoModel } from '@throughline/agents/demo'
import type { TestBrowser } from '@throughline/testing/browser/browser'
import { sharedBrowser } from '@throughline/testing/browser/shared-browser'
import { defaultInstallation } from '@throughline/testing/server/default-installation'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openConsole } from './open-console.ts'

/** In bytes, with gzip. What is not needed to read a chat and to write to it is loaded later. */
const budget = 153_000

let chromium: TestBrowser

beforeAll(async () => {
  chromium = await sharedBrowser()
})
afterAll(() => chromium[Symbol.asyncDispose]())

interface FirstLoad {
  /** The paths of the scripts that were loaded, in the order of their requests. */
  readonly paths: readonly string[]
  /** The paths that the page itself names. */
  readonly named: readonly string[]
  /** The size of all scripts together, with gzip. */
  readonly bytes: number
}

/** Opens the page, and lets it answer. Returns the scripts that this needed. */
async function firstLoad(locale: string): Promise<FirstLoad> {
  await using opened = await openConsole(chromium, {
    ...defaultInstallation(createDemoModel({ wordsPerSecond: 500 })),
    browserContext: { locale },
  })
  const { page, server } = opened
  const scripts = new Map<string, Promise<Buffer>>()
  page.on('response', response => {
    if (response.request().resourceType() !== 'script') return
    const { pathname } = new URL(response.url())
    if (!scripts.has(pathname)) scripts.set(pathname, response.body())
  })
  await page.goto(server.url)
  await page.getByRole('textbox').last().fill('Hello')
  await page.keyboard.press('Enter')
  await page.locator('article[data-status=finished]').waitFor()
  const sizes = await Promise.all([...scripts.values()].map(async body => gzipSync(await body).length))
  const named = await page
    .locator('script[src], link[rel=modulepreload]')
    .evaluateAll(all => all.map(each => each.getAttribute('src') ?? each.getAttribute('href') ?? ''))
  return { paths: [...scripts.keys()], named, bytes: sizes.reduce((sum, size) => sum + size, 0) }
}

test('the scripts that a chat needs stay within their budget, and the page names those that it begins with', async () => {
  const { paths, named, bytes } = await firstLoad('en-US')
  expect(paths[0]).toBe('/before-paint.js')
  expect(paths.slice(0, named.length)).toEqual(expect.arrayContaining([...named]))
  // The rest comes when the chat is there: what reads answers aloud.
  expect(paths.filter(path => !named.includes(path))).toEqual([
    expect.stringMatching(/^\/assets\/announcer-/),
  ])
  expect(bytes).toBeLessThan(budget)
})

test('the words of a language are a script of their own, which is loaded beside the main one', async () => {
  const { paths, bytes } = await firstLoad('zh-CN')
  expect(paths).toContainEqual(expect.stringMatching(/^\/assets\/zh-/))
  expect(paths).not.toContainEqual(expect.stringMatching(/^\/assets\/en-/))
  expect(bytes).toBeLessThan(budget)
})
