import { readFile } from 'node:fs/promises'
import type { TestBrowser } from '@throughline/testing/browser/browser'
import { sharedBrowser } from '@throughline/testing/browser/shared-browser'
import { ask, sendJson } from '@throughline/testing/http/chat-requests'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openConsole } from './open-console.ts'

let chromium: TestBrowser

beforeAll(async () => {
  chromium = await sharedBrowser()
})
afterAll(() => chromium[Symbol.asyncDispose]())

test('a chat is pinned, renamed and unpinned with the keyboard alone, and another tab sees it', async () => {
  await using opened = await openWithChats(['First', 'Second'])
  const { page } = opened
  const other = await opened.newTab()
  await other.goto(opened.server.url)
  expect(await row(page, 'First').locator('[data-chat-link]').textContent()).toBe('First')
  await row(page, 'First').getByRole('button').first().focus()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await focused(page, 'Pin')
  await page.keyboard.press('ArrowUp')
  await focused(page, 'Delete')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  for (const tab of [page, other])
    await expect
      .poll(() => tab.getByRole('navigation').getByRole('heading').allTextContents())
      .toEqual(['Pinned', 'Today'])

  await row(page, 'First').getByRole('button', { name: 'Actions for “First”' }).press('Enter')
  await focused(page, 'Unpin')
  await page.keyboard.press('ArrowDown')
  await focused(page, 'Rename')
  await page.keyboard.press('Enter')
  await expect
    .poll(() =>
      page.getByRole('textbox', { name: 'Rename' }).evaluate(field => field === document.activeElement),
    )
    .toBe(true)
  await page.keyboard.type('Renamed')
  await page.keyboard.press('Enter')
  await row(other, 'Renamed').waitFor()

  const actions = row(page, 'Renamed').getByRole('button', { name: 'Actions for “Renamed”' })
  await actions.press('Enter')
  await focused(page, 'Unpin')
  await page.keyboard.press('Escape')
  await expect.poll(() => actions.evaluate(element => element === document.activeElement)).toBe(true)
  await actions.press('Enter')
  await page.getByRole('menuitem', { name: 'Unpin' }).click()
  await expect.poll(() => other.getByRole('heading', { name: 'Pinned' }).count()).toBe(0)
})

test('the menu of a row works on a phone by touch, and stays in the window', async () => {
  await using opened = await openWithChats(['First'], {
    viewport: { width: 390, height: 700 },
    hasTouch: true,
    isMobile: true,
  })
  const { page } = opened
  await page.getByRole('button', { name: 'Menu' }).tap()
  await row(page, 'First')
    .getByRole('button', { name: /Actions/ })
    .tap()
  const box = await page.getByRole('menu').boundingBox()
  expect(box !== null && box.x >= 0 && box.x + box.width <= 390 && box.y + box.height <= 700).toBe(true)
  await page.getByRole('menuitem', { name: 'Pin', exact: true }).tap()
  await page.getByRole('heading', { name: 'Pinned' }).waitFor()
  expect(await page.getByRole('menu').count()).toBe(0)
})

test('a deleted chat can be brought back for some seconds, and is deleted when the page is left', async () => {
  await using opened = await openWithChats(['First', 'Second'])
  const { page, server } = opened
  const isThere = async (id: string) => (await fetch(`${server.url}/api/chats/${id}`)).status === 200
  await choose(page, 'First', 'Delete')
  await page.getByRole('status').getByText('“First” is deleted').waitFor()
  expect([await row(page, 'First').count(), await isThere('First')]).toEqual([0, true])
  await page.getByRole('button', { name: 'Undo' }).click()
  await row(page, 'First').waitFor()
  await page.waitForURL(/\/chats\/First$/)

  await choose(page, 'First', 'Delete')
  // Only one can be brought back. The one before is deleted now.
  await choose(page, 'Second', 'Delete')
  await expect.poll(() => isThere('First')).toBe(false)
  expect(await isThere('Second')).toBe(true)
  await page.getByText('Your chats will be listed here.').waitFor()
  await page.goto('about:blank')
  await expect.poll(() => isThere('Second')).toBe(false)
})

test('the time to bring a chat back ends, but not while the person is at it', async () => {
  await using opened = await openWithChats(['First'])
  const { page, server } = opened
  const deletions: string[] = []
  page.on('request', request => request.method() === 'DELETE' && deletions.push(request.url()))
  await page.clock.install()
  await choose(page, 'First', 'Delete')
  await page.getByRole('button', { name: 'Undo' }).focus()
  await page.clock.runFor(20_000)
  expect(deletions).toEqual([])
  await page.getByRole('searchbox').focus()
  await page.clock.runFor(6_001)
  await expect.poll(() => deletions).toEqual([`${server.url}/api/chats/First`])
  await expect.poll(() => page.getByRole('button', { name: 'Undo' }).count()).toBe(0)
})

test('what the server does not take is said, and the chat is shown as it is', async () => {
  await using opened = await openWithChats(['First', 'Second'])
  const { page } = opened
  await page.route(/\/api\/chats\/\w+$/, route => route.abort())
  await choose(page, 'First', 'Pin')
  await page.getByRole('status').getByText('This did not work').waitFor()
  await choose(page, 'First', 'Delete')
  await choose(page, 'Second', 'Delete')
  await row(page, 'First').waitFor()
})

test('a chat is exported as Markdown and as JSON', async () => {
  await using opened = await openWithChats([])
  const { page, server } = opened
  await (await ask(server.url, { text: '天气/怎么样？' })).text()
  await row(page, '天气/怎么样？').waitFor()
  const saved = async (item: string) => {
    const download = page.waitForEvent('download')
    await choose(page, '天气/怎么样？', item)
    const file = await download
    return [file.suggestedFilename(), await readFile(await file.path(), 'utf8')] as const
  }
  const [markdownName, markdown] = await saved('Export as Markdown')
  expect(markdownName).toBe('天气 怎么样？.md')
  expect(markdown).toMatch(/^# 天气\/怎么样？\n\n## You\n/)
  expect(markdown).toContain('\n\n```json\n')
  const [jsonName, json] = await saved('Export as JSON')
  expect(jsonName).toBe('天气 怎么样？.json')
  const { messages } = await (await fetch(`${server.url}/api/chats/chat/messages?branches=all`)).json()
  expect(JSON.parse(json)).toMatchObject({ id: 'chat', title: '天气/怎么样？', messages })
})

async function openWithChats(ids: readonly string[], browserContext = {}) {
  const opened = await openConsole(chromium, { browserContext: { acceptDownloads: true, ...browserContext } })
  for (const id of ids) await sendJson(`${opened.server.url}/api/chats`, { id, title: id })
  await opened.page.goto(opened.server.url)
  for (const id of ids) await row(opened.page, id).waitFor({ state: 'attached' })
  return opened
}

async function choose(page: Page, title: string, item: string): Promise<void> {
  await row(page, title)
    .getByRole('button', { name: /Actions/ })
    .click()
  await page.getByRole('menuitem', { name: item, exact: true }).click()
}

async function focused(page: Page, item: string): Promise<void> {
  const found = page.getByRole('menuitem', { name: item, exact: true })
  await expect.poll(() => found.evaluate(element => element === document.activeElement)).toBe(true)
}

function row(page: Page, text: string) {
  return page.getByRole('navigation').getByRole('listitem').filter({ hasText: text })
}
