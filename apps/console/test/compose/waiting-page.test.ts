import { launchBrowser, type TestBrowser } from '@throughline/testing/browser/browser'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { half, numberedAgent, whole } from '../numbered-agent.ts'
import { openConsole, send, untilShown } from '../open-console.ts'
import { openMidAnswer } from '../open-mid-answer.ts'

let chromium: TestBrowser

beforeAll(async () => {
  chromium = await launchBrowser()
})
afterAll(() => chromium[Symbol.asyncDispose]())

test('Enter while an answer runs queues: visible in all tabs and after a reload, editable, removable, answered in order', async () => {
  await using opened = await openMidAnswer(chromium)
  const { letEnd, page } = opened
  for (const text of ['Second', 'Third', 'Fourth']) await send(page, text)
  await untilWaiting(page, ['Second', 'Third', 'Fourth'])
  await untilShown(page, ['user: Question', half(1)])
  await page.getByRole('button', { name: 'Stop', exact: true }).waitFor()

  const tab = await opened.newTab()
  await tab.goto(page.url())
  await untilWaiting(tab, ['Second', 'Third', 'Fourth'])
  await rowOf(tab, 'Third').getByRole('button', { name: 'Remove' }).click()
  await untilWaiting(tab, ['Second', 'Fourth'])
  await untilWaiting(page, ['Second', 'Fourth'])

  await page.reload()
  await untilWaiting(page, ['Second', 'Fourth'])
  await rowOf(page, 'Fourth').getByRole('button', { name: 'Edit' }).click()
  await untilWaiting(page, ['Second'])
  expect(await field(page).inputValue()).toBe('Fourth')
  await send(page, 'Fifth')
  await untilWaiting(page, ['Second', 'Fifth'])

  letEnd(1)
  await untilShown(page, ['user: Question', whole(1), 'user: Second', half(2)])
  await untilWaiting(page, ['Fifth'])
  // The first in line can be answered at once.
  await rowOf(page, 'Fifth').getByRole('button', { name: 'Stop the answer, and answer this now' }).click()
  await untilShown(page, ['user: Question', whole(1), 'user: Second', half(2), 'user: Fifth', half(3)])
  await untilWaiting(page, [])

  // Ctrl+Enter stops the answer and sends.
  await field(page).fill('Now')
  await page.keyboard.press('Control+Enter')
  const before = ['user: Question', whole(1), 'user: Second', half(2), 'user: Fifth', half(3)]
  await untilShown(page, [...before, 'user: Now', half(4)])
})

test('a draft is kept for each chat, also for the new one, until it is sent', async () => {
  const { agent, letEnd } = numberedAgent()
  letEnd(1)
  await using opened = await openConsole(chromium, { agents: [agent] })
  const { page, server } = opened
  await page.goto(server.url)
  await send(page, 'Question')
  await untilShown(page, ['user: Question', whole(1)])
  await field(page).fill('For this chat')
  await page.getByRole('button', { name: 'New chat' }).click()
  await expect.poll(() => field(page).inputValue()).toBe('')
  await field(page).fill('For the next chat')
  await page.reload()
  await expect.poll(() => field(page).inputValue()).toBe('For the next chat')
  await page.goBack()
  await expect.poll(() => field(page).inputValue()).toBe('For this chat')
  await page.getByRole('button', { name: 'New chat' }).click()
  await page.keyboard.press('Enter')
  await untilShown(page, ['user: For the next chat', half(2)])
  await page.reload()
  await untilShown(page, ['user: For the next chat', half(2)])
  expect(await field(page).inputValue()).toBe('')
  await page.getByRole('button', { name: 'New chat' }).click()
  expect(await field(page).inputValue()).toBe('')
})

test('a message that waited and that the server then refuses goes back to the field, with the reason', async () => {
  await using opened = await openConsole(chromium, {})
  const { page, server } = opened
  await page.goto(server.url)
  let isAway = true
  await page.route('**/messages', (route, request) => {
    if (request.method() !== 'POST') return route.continue()
    return isAway
      ? route.abort()
      : route.fulfill({ status: 400, json: { code: 'no', detail: 'Not this one.' } })
  })
  await send(page, 'A message')
  await page.getByText('Sent when the server is back').waitFor()
  isAway = false
  await expect.poll(() => field(page).inputValue(), { timeout: 20_000 }).toBe('A message')
  await untilShown(page, [])
  await page.getByText('Not sent: Not this one.').waitFor()
  await page.unroute('**/messages')
  await page.keyboard.press('Enter')
  await expect.poll(() => page.locator('article[data-status=finished]').count()).toBe(1)
  await page.getByText('Not sent').waitFor({ state: 'detached' })
})

test('on a phone Enter makes a new line, and the keyboard stays closed until the person wants it', async () => {
  const { agent } = numberedAgent()
  await using opened = await openConsole(chromium, {
    agents: [agent],
    browserContext: { viewport: { width: 390, height: 760 }, hasTouch: true, isMobile: true },
  })
  const { page, server } = opened
  await page.goto(server.url)
  await field(page).waitFor()
  expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('BODY')
  await field(page).tap()
  await page.keyboard.type('One')
  await page.keyboard.press('Enter')
  await page.keyboard.type('two')
  expect(await field(page).inputValue()).toBe('One\ntwo')
  await page.getByRole('button', { name: 'Send' }).tap()
  await untilShown(page, ['user: One\ntwo', half(1)])
})

function field(page: Page) {
  return page.getByRole('textbox', { name: 'Write a message…' })
}

function rowOf(page: Page, text: string) {
  return page.locator('[data-waiting]').filter({ hasText: text })
}

async function untilWaiting(page: Page, texts: readonly string[]): Promise<void> {
  const shown = () => page.locator('[data-waiting] > span').allTextContents()
  await expect.poll(shown, { timeout: 20_000 }).toEqual(texts)
}
