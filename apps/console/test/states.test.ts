import type { TestBrowser } from '@throughline/testing/browser/browser'
import { sharedBrowser } from '@throughline/testing/browser/shared-browser'
import { ownerIdOf } from '@throughline/testing/server/test-server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { axeProblems } from './axe-problems.ts'
import { demoInstallation } from './inspector/demo-installation.ts'
import { latinWords } from './latin-words.ts'
import { openConsole } from './open-console.ts'
import { walkComposer } from './walk-composer.ts'
import { walkPages } from './walk-pages.ts'
import { walkShare } from './walk-share.ts'
import { walkThrough } from './walk-through.ts'

const phone = { viewport: { width: 390, height: 760 }, hasTouch: true, isMobile: true }

let chromium: TestBrowser

beforeAll(async () => {
  chromium = await sharedBrowser()
})
afterAll(() => chromium[Symbol.asyncDispose]())

const walks = [
  ['a chat', walkThrough],
  ['writing', walkComposer],
  ['the other pages', walkPages],
  ['sharing', walkShare],
] as const

describe.each(walks)('in every state of %s', (_, walk) => {
  test('axe finds nothing, and there is one main heading: light, English', { timeout: 120_000 }, async () => {
    await using opened = await openConsole(chromium, {
      ...demoInstallation(),
      browserContext: { colorScheme: 'light', reducedMotion: 'reduce' },
    })
    const { page, server } = opened
    const found: Record<string, readonly string[]> = {}
    await walk(page, server.url, async state => {
      found[state] = await axeProblems(page)
      expect(await page.locator('h1:not([aria-level])').count(), `headings of ${state}`).toBe(1)
    })
    expect(problemsIn(found)).toEqual({})
  })

  test('axe finds nothing, and every word is Chinese: dark, Chinese', { timeout: 120_000 }, async () => {
    await using opened = await openConsole(chromium, {
      ...demoInstallation(),
      browserContext: { colorScheme: 'dark', locale: 'zh-CN', reducedMotion: 'reduce' },
    })
    const { page, server } = opened
    const found: Record<string, readonly string[]> = {}
    await walk(page, server.url, async state => {
      found[state] = [
        ...(await axeProblems(page)),
        ...(await latinWords(page)).map(text => `not Chinese: ${text}`),
      ]
    })
    expect(problemsIn(found)).toEqual({})
  })
})

test.each([
  ['writing', walkComposer],
  ['the other pages', walkPages],
  ['sharing', walkShare],
])(
  'on a phone, axe finds nothing in any state of %s, and nothing is wider than the screen',
  {
    timeout: 120_000,
  },
  async (_, walk) => {
    await using opened = await openConsole(chromium, {
      ...demoInstallation(),
      browserContext: { ...phone, reducedMotion: 'reduce' },
    })
    const { page, server } = opened
    const found: Record<string, readonly string[]> = {}
    await walk(page, server.url, async state => {
      found[state] = await axeProblems(page)
      const width = await page.evaluate(() => document.documentElement.scrollWidth)
      expect(width, `width of ${state}`).toBeLessThanOrEqual(phone.viewport.width)
    })
    expect(problemsIn(found)).toEqual({})
  },
)

test('axe finds nothing on a phone, with the drawer open and closed, and when the server asks for a token', async () => {
  await using opened = await openConsole(chromium, {
    browserContext: phone,
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
