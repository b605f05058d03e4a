import type { TestBrowser } from '@throughline/testing/browser/browser'
import { sharedBrowser } from '@throughline/testing/browser/shared-browser'
import { ownerIdOf } from '@throughline/testing/server/test-server'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openConsole } from './open-console.ts'

const token = 'the-token-of-alice'
let chromium: TestBrowser

beforeAll(async () => {
  chromium = await sharedBrowser()
})
afterAll(() => chromium[Symbol.asyncDispose]())

test('the theme is light, dark, or as the system is, also when that changes and after a reload', async () => {
  await using opened = await openConsole(chromium, { browserContext: { colorScheme: 'light' } })
  const { page, server } = opened
  await page.goto(server.url)
  await page.getByRole('link', { name: 'Settings' }).click()
  await page.waitForURL(`${server.url}/settings`)
  await page.getByRole('radio', { name: 'As the system', checked: true }).waitFor({ state: 'attached' })
  await page.emulateMedia({ colorScheme: 'dark' })
  await untilDark(page, true)
  await page.getByText('Light', { exact: true }).click()
  await untilDark(page, false)
  await page.reload()
  await untilDark(page, false)
  await page.getByRole('radio', { name: 'Light', checked: true }).press('ArrowRight')
  await untilDark(page, true)
  await page.emulateMedia({ colorScheme: 'light' })
  await untilDark(page, true)
  await page.keyboard.press('ArrowRight')
  await untilDark(page, false)
  await page.getByRole('button', { name: 'Light or dark' }).click()
  await page.getByRole('radio', { name: 'Dark', checked: true }).waitFor({ state: 'attached' })
})

test('the language is kept, and the way back leads to the chat', async () => {
  await using opened = await openConsole(chromium, {})
  const { page, server } = opened
  await page.goto(server.url)
  await page.getByRole('link', { name: 'Settings' }).click()
  await page.getByText('中文', { exact: true }).click()
  await page.getByRole('heading', { name: '设置' }).waitFor()
  await page.reload()
  await page.getByRole('heading', { name: '外观' }).waitFor()
  await page.getByRole('button', { name: '新对话' }).click()
  await page.getByRole('textbox', { name: '输入消息…' }).waitFor()
  await page.goBack()
  await page.getByRole('heading', { name: '外观' }).waitFor()
})

test('signing out forgets the token and what was kept for the person, in all tabs', async () => {
  await using opened = await openConsole(chromium, { tokens: new Map([[token, ownerIdOf('alice')]]) })
  const { page, server } = opened
  const other = await opened.newTab()
  await page.goto(server.url)
  await page.getByLabel('Token').fill(token)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('Your chats will be listed here.').waitFor()
  await other.goto(server.url)
  await other.getByText('Your chats will be listed here.').waitFor()
  for (const tab of [page, other]) {
    await tab.evaluate(() => {
      localStorage.setItem('throughline.something of alice', 'secret')
      sessionStorage.setItem('throughline.something of alice', 'secret')
    })
  }
  await page.getByRole('link', { name: 'Settings' }).click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  for (const tab of [page, other]) {
    await tab.getByRole('heading', { name: 'You have signed out' }).waitFor()
    const kept = () =>
      tab.evaluate(() => [...Object.keys(localStorage), ...Object.keys(sessionStorage)].sort())
    await expect.poll(kept).toEqual(['throughline.language', 'throughline.theme'])
  }
  await page.reload()
  await page.getByRole('heading', { name: 'Sign in to see this' }).waitFor()
})

test('a browser without databases forgets the person all the same', async () => {
  await using opened = await openConsole(chromium, { tokens: new Map([[token, ownerIdOf('alice')]]) })
  const { page, server } = opened
  await page.addInitScript(() => {
    IDBFactory.prototype.deleteDatabase = () => {
      throw new DOMException('Not allowed.', 'SecurityError')
    }
  })
  await page.goto(server.url)
  await page.getByLabel('Token').fill(token)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.evaluate(() => localStorage.setItem('throughline.something of alice', 'secret'))
  await page.getByRole('link', { name: 'Settings' }).click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'You have signed out' }).waitFor()
  expect(await page.evaluate(() => localStorage.getItem('throughline.something of alice'))).toBeNull()
})

test('without a token there is nothing to sign out of, but the browser can forget', async () => {
  await using opened = await openConsole(chromium, {})
  const { page, server } = opened
  await page.goto(`${server.url}/settings`)
  await page.evaluate(() => localStorage.setItem('throughline.something', 'kept'))
  expect(await page.getByRole('button', { name: 'Sign out' }).count()).toBe(0)
  await page.getByRole('button', { name: 'Forget' }).click()
  await expect.poll(() => page.evaluate(() => localStorage.getItem('throughline.something'))).toBeNull()
  await page.getByRole('button', { name: 'Forget' }).waitFor()
})

async function untilDark(page: Page, isDark: boolean): Promise<void> {
  const isShown = () => page.evaluate(() => document.documentElement.classList.contains('dark'))
  await expect.poll(isShown).toBe(isDark)
}
