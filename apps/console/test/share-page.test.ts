import { createDemoModel } from '@throughline/agents/demo'
import type { TestBrowser } from '@throughline/testing/browser/browser'
import { sharedBrowser } from '@throughline/testing/browser/shared-browser'
import { ask, sendJson } from '@throughline/testing/http/chat-requests'
import { messageWith, picturePart } from '@throughline/testing/http/file-parts'
import { defaultInstallation } from '@throughline/testing/server/default-installation'
import { ownerIdOf } from '@throughline/testing/server/test-server'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { axeProblems } from './axe-problems.ts'
import { openConsole, send, shownMessages } from './open-console.ts'

const token = 'the-token-of-ada-1234'
const ada = { authorization: `Bearer ${token}` }
const tokens = new Map([[token, ownerIdOf('ada')]])
const demo = defaultInstallation(createDemoModel({ wordsPerSecond: 500 }))

let chromium: TestBrowser

beforeAll(async () => {
  chromium = await sharedBrowser()
})
afterAll(() => chromium[Symbol.asyncDispose]())

test('a chat is shared, read by a stranger, stays as it was, and is gone when its owner stops sharing', async () => {
  await using opened = await openConsole(chromium, { ...demo, tokens })
  const { page, server } = opened
  const body = { id: 'trip', message: messageWith([picturePart], 'tools') }
  await (await sendJson(`${server.url}/api/chat`, body, { headers: ada })).text()
  await page.addInitScript(kept => localStorage.setItem('throughline.token', kept), token)
  await page.goto(`${server.url}/chats/trip`)
  await page.locator('article[data-status=finished]').waitFor()
  const before = await shownMessages(page)

  await openDialog(page)
  const dialog = page.getByRole('dialog', { name: 'Share “tools”' })
  expect(await axeProblems(page)).toEqual([])
  expect(await dialog.textContent()).toContain('what their tools were given and returned')
  await dialog.getByRole('button', { name: 'Create link' }).click()
  await dialog.getByText('The link is ready.').waitFor()
  expect(await axeProblems(page)).toEqual([])
  expect(await dialog.getByRole('listitem').filter({ hasText: '2 messages' }).count()).toBe(1)
  const link = await dialog.getByRole('textbox').inputValue()
  expect(link).toMatch(/\/shared\/[0-9a-f]{40}$/)
  // An unchanged chat keeps its link.
  await dialog.getByRole('button', { name: 'Create link' }).click()
  await dialog.getByText('The link is ready.').waitFor()
  expect(await dialog.getByRole('textbox').count()).toBe(1)
  await page.keyboard.press('Escape')
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0)

  await using stranger = await strangerAt(link)
  const { tab } = stranger
  await tab.locator('article[data-status=finished]').waitFor()
  expect(await shownMessages(tab)).toEqual(before)
  expect(await tab.getByRole('heading', { level: 1 }).textContent()).toBe('tools')
  expect(await tab.title()).toBe('tools · Throughline')
  expect(await tab.getByText(/^Shared on \w+ \d+, \d{4} · read-only copy$/).count()).toBe(1)
  const picture = tab.getByRole('img', { name: 'red.png' })
  await picture.waitFor()
  expect(await picture.evaluate(image => image instanceof HTMLImageElement && image.naturalWidth)).toBe(1)
  // There is nothing to write with, and no way to anything else of the owner.
  expect(await tab.getByRole('textbox').count()).toBe(0)
  expect(await tab.getByRole('navigation').count()).toBe(0)
  for (const name of ['Edit', 'Delete', 'Regenerate', 'Inspect', 'Try again'])
    expect(await tab.getByRole('button', { name }).count()).toBe(0)
  const tool = tab.locator('article [aria-expanded=false]').first()
  await tool.click()
  await tab.locator('article pre').first().waitFor()
  expect(await axeProblems(tab)).toEqual([])

  await send(page, 'Hello')
  await expect.poll(() => page.locator('article[data-status=finished]').count()).toBe(2)
  await tab.reload()
  await tab.locator('article[data-status=finished]').waitFor()
  expect(await shownMessages(tab)).toEqual(before)

  await openDialog(page)
  await dialog.getByRole('button', { name: 'Stop sharing' }).click()
  await dialog.getByText('That link no longer works.').waitFor()
  expect(await dialog.getByRole('textbox').count()).toBe(0)
  await tab.reload()
  await tab.getByRole('heading', { name: 'Nothing is shared here' }).waitFor()
  expect(await axeProblems(tab)).toEqual([])
  await tab.getByRole('link', { name: 'Start page' }).click()
  // A stranger who goes further has to sign in.
  await tab.getByLabel('Token').waitFor()
  expect(new URL(tab.url()).pathname).toBe('/')
})

test('a link that is made before the others are loaded is listed with them', async () => {
  await using opened = await openConsole(chromium, demo)
  const { page, server } = opened
  await (await ask(server.url, { chatId: 'trip', text: 'Hello' })).text()
  await sendJson(`${server.url}/api/chats/trip/share`, {})
  await sendJson(`${server.url}/api/chats/trip`, { title: 'Another title' }, { method: 'PATCH' })
  const isMade = Promise.withResolvers<void>()
  await page.route('**/api/chats/trip/share', async route => {
    if (route.request().method() !== 'GET') return route.continue()
    const response = await route.fetch()
    await isMade.promise
    await route.fulfill({ response })
  })
  await page.goto(`${server.url}/chats/trip`)
  await openDialog(page)
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Create link' }).click()
  await dialog.getByText('The link is ready.').waitFor()
  const made = await dialog.getByRole('textbox').inputValue()
  isMade.resolve()
  await expect.poll(() => dialog.getByRole('textbox').count()).toBe(2)
  expect(await dialog.getByRole('textbox').first().inputValue()).toBe(made)
})

test('a link that was stopped elsewhere, or before the response got lost, is taken off the list', async () => {
  await using opened = await openConsole(chromium, demo)
  const { page, server } = opened
  await (await ask(server.url, { chatId: 'trip', text: 'Hello' })).text()
  const made = await sendJson(`${server.url}/api/chats/trip/share`, {})
  const { key } = await made.json()
  await page.goto(`${server.url}/chats/trip`)
  await openDialog(page)
  const dialog = page.getByRole('dialog')
  const stop = dialog.getByRole('button', { name: 'Stop sharing' })
  await stop.waitFor()
  await fetch(`${server.url}/api/chats/trip/share/${key}`, { method: 'DELETE' })
  await stop.click()
  await dialog.getByText('That link no longer works.').waitFor()
  expect(await dialog.getByRole('textbox').count()).toBe(0)
})

test('below a base path, a link leads to its page', async () => {
  await using opened = await openConsole(chromium, { ...demo, basePath: '/ai' })
  const { page, server } = opened
  await (await ask(`${server.url}/ai`, { chatId: 'trip', text: 'Hello' })).text()
  await page.goto(`${server.url}/ai/chats/trip`)
  await openDialog(page)
  await page.getByRole('button', { name: 'Create link' }).click()
  const link = await page.getByRole('dialog').getByRole('textbox').inputValue()
  expect(new URL(link).pathname).toMatch(/^\/ai\/shared\//)
  const response = await page.goto(link)
  expect(response?.headers()['x-robots-tag']).toBe('noindex')
  await page.getByRole('heading', { level: 1, name: 'Hello' }).waitFor()
})

test('a server without sharing does not offer it', async () => {
  await using opened = await openConsole(chromium, { ...demo, sharing: false })
  const { page, server } = opened
  await (await ask(server.url, { chatId: 'trip', text: 'Hello' })).text()
  await page.goto(`${server.url}/chats/trip`)
  await page.locator('[data-row-menu]').first().click()
  await page.getByRole('menuitem', { name: 'Rename' }).waitFor()
  expect(await page.getByRole('menuitem', { name: 'Share…' }).count()).toBe(0)
  await page.goto(`${server.url}/shared/${'0'.repeat(40)}`)
  await page.getByRole('heading', { name: 'Nothing is shared here' }).waitFor()
})

async function openDialog(page: Page): Promise<void> {
  await page.locator('[data-row-menu]').first().click()
  await page.getByRole('menuitem', { name: 'Share…' }).click()
  await page.getByRole('dialog').waitFor()
}

/** Opens an address in a browser that knows nothing of its owner. */
async function strangerAt(link: string) {
  const context = await chromium.browser.newContext({ locale: 'en-US' })
  const tab = await context.newPage()
  await tab.goto(link)
  return { tab, [Symbol.asyncDispose]: () => context.close() }
}
