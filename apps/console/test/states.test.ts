import { launchBrowser, type TestBrowser } from '@throughline/testing/browser/browser'
import { ownerIdOf } from '@throughline/testing/server/test-server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { axeProblems } from './axe-problems.ts'
import { demoInstallation } from './inspector/demo-installation.ts'
import { latinWords } from './latin-words.ts'
import { openConsole } from './open-console.ts'
import { walkThrough } from './walk-through.ts'

let chromium: TestBrowser

beforeAll(async () => {
  chromium = await launchBrowser()
})
afterAll(() => chromium[Symbol.asyncDispose]())

test('axe finds nothing in any state of the page: light, English', { timeout: 120_000 }, async () => {
  await using opened = await openConsole(chromium, {
    ...demoInstallation(),
    browserContext: { colorScheme: 'light', reducedMotion: 'reduce' },
  })
  const { page, server } = opened
  const found: Record<string, readonly string[]> = {}
  await walkThrough(page, server.url, async state => {
    found[state] = await axeProblems(page)
    expect(await page.locator('h1:not([aria-level])').count(), `headings of ${state}`).toBe(1)
  })
  expect(problemsIn(found)).toEqual({})
})

test('axe finds nothing in any state of the page: dark, Chinese, where every word is Chinese', {
  timeout: 120_000,
}, async () => {
  await using opened = await openConsole(chromium, {
    ...demoInstallation(),
    browserContext: { colorScheme: 'dark', locale: 'zh-CN', reducedMotion: 'reduce' },
  })
  const { page, server } = opened
  const found: Record<string, readonly string[]> = {}
  await walkThrough(page, server.url, async state => {
    found[state] = [
      ...(await axeProblems(page)),
      ...(await latinWords(page)).map(text => `not Chinese: ${text}`),
    ]
  })
  expect(problemsIn(found)).toEqual({})
})

test('axe finds nothing on a phone, with the drawer open and closed, and when the server asks for a token', async () => {
  await using opened = await openConsole(chromium, {
    browserContext: { viewport: { width: 390, height: 760 }, hasTouch: true, isMobile: true },
    tokens: new Map([['secret', ownerIdOf('ann')]]),
  })
  const { page, server } = opened
  await page.goto(`${server.url}/chats/first`)
  const found: Record<string, readonly string[]> = {}
  await page.locator('input[type=password]').waitFor()
  found['signing in'] = await axeProblems(page)
  await page.evaluate(() => localStorage.setItem('throughline.token', 'secret'))
  await page.goto(server.url)
  await page.locator('#messages h2').waitFor()
  found['a phone'] = await axeProblems(page)
  await page.getByRole('button', { name: 'Menu' }).tap()
  found['the drawer'] = await axeProblems(page)
  expect(problemsIn(found)).toEqual({})
})

function problemsIn(found: Readonly<Record<string, readonly string[]>>) {
  return Object.fromEntries(Object.entries(found).filter(([, problems]) => problems.length > 0))
}
