import type { TestBrowser } from '@throughline/testing/browser/browser'
import { sharedBrowser } from '@throughline/testing/browser/shared-browser'
import { sendJson, submit } from '@throughline/testing/http/chat-requests'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openConsole } from './open-console.ts'

let chromium: TestBrowser

beforeAll(async () => {
  chromium = await sharedBrowser()
})
afterAll(() => chromium[Symbol.asyncDispose]())

test('chats are found by their titles and texts with the keyboard alone, in Chinese too, and grouped by day', async () => {
  let now = new Date(Date.now() - 10 * 24 * 3600 * 1000)
  await using opened = await openConsole(chromium, { now: () => now })
  const { page, server } = opened
  await sendJson(`${server.url}/api/chats`, { id: 'old', title: 'The old harbour' })
  now = new Date()
  await submit(server.url, { chatId: 'lisbon', text: 'Where is Lisbon? <b>100%</b>' })
  await submit(server.url, { chatId: 'beijing', text: '今天北京天气怎么样？' })
  await page.goto(server.url)
  const navigation = page.getByRole('navigation')
  const titles = () => navigation.locator('[data-chat-link] .truncate').allTextContents()
  await navigation.getByText('The old harbour').waitFor()
  expect(await navigation.getByRole('heading').allTextContents()).toEqual(['Today', 'Older'])

  await page.keyboard.press('Control+k')
  await page.keyboard.type('HARBOUR')
  await expect.poll(titles).toEqual(['The old harbour'])
  await page.getByRole('status').getByText('1 found').waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/chats\/old$/)

  const field = page.getByRole('searchbox', { name: 'Search chats' })
  await field.fill('北京')
  await expect.poll(titles).toEqual(['今天北京天气怎么样？'])
  expect(await navigation.locator('mark').textContent()).toBe('北京')
  await field.fill('100%</b>')
  await expect.poll(titles).toEqual(['Where is Lisbon? <b>100%</b>'])
  await field.fill('%%')
  await page.getByRole('status').getByText('Nothing found').waitFor()
  await page.keyboard.press('Escape')
  await expect.poll(async () => (await titles()).length).toBe(3)

  await field.focus()
  for (const key of ['ArrowDown', 'End', 'ArrowUp', 'Home', 'ArrowUp']) await page.keyboard.press(key)
  expect(await field.evaluate(element => element === document.activeElement)).toBe(true)

  await page.route('**/api/chats?q=*', route => route.abort())
  await field.fill('away')
  await page.getByRole('status').getByText('The search did not work').waitFor()
})
