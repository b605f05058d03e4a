import { finish, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import type { TestBrowser } from '@throughline/testing/browser/browser'
import { sharedBrowser } from '@throughline/testing/browser/shared-browser'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openConsole } from './open-console.ts'

let chromium: TestBrowser

beforeAll(async () => {
  chromium = await sharedBrowser()
})
afterAll(() => chromium[Symbol.asyncDispose]())

const guide = scriptedAgent('guide', [
  { type: 'ui-event', data: { type: 'open-url', url: 'https://example.com/', title: 'Example' } },
  say('Here is a page.'),
  finish,
])

/** Opens a chat in which an agent has offered a page. Every request to another site is counted, and has a response. */
async function offered(browserContext: BrowserContextOptions) {
  const opened = await openConsole(chromium, { agents: [guide], browserContext })
  const { page, server } = opened
  const requests: string[] = []
  await page.route(
    address => !address.href.startsWith(server.url),
    route => {
      requests.push(route.request().url())
      return route.fulfill({ contentType: 'text/html', body: 'A page elsewhere.' })
    },
  )
  await page.goto(server.url)
  await page.getByRole('textbox', { name: 'Write a message…' }).fill('Show me')
  // With a finger, Enter begins a new line.
  await page.getByRole('button', { name: 'Send' }).click()
  await page.locator('article[data-status=finished]').waitFor()
  return { ...opened, requests, open: page.getByRole('button', { name: 'Open', exact: true }) }
}

const panel = (page: Page) => page.getByRole('complementary', { name: 'Example' })
const shareOf = async (page: Page) => Number(await page.getByRole('separator').getAttribute('aria-valuenow'))
const box = async (page: Page) => (await panel(page).boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }

test('an offered page is loaded by a click and by nothing else, stands beside the chat, and has the width that the person chose', async () => {
  await using chat = await offered({ viewport: { width: 1400, height: 800 } })
  const { page, open, requests } = chat
  await open.waitFor()
  expect(requests).toEqual([])
  await open.click()
  await page.frameLocator('iframe').getByText('A page elsewhere.').waitFor()
  expect(requests).toHaveLength(1)
  await page.getByText('Some sites do not allow being shown inside other pages.').waitFor()
  expect(await page.getByRole('link', { name: 'Open in a new tab' }).getAttribute('href')).toBe(
    'https://example.com/',
  )
  // Beside the chat, not over it.
  const chatBox = await page.getByRole('main').boundingBox()
  expect((chatBox?.x ?? 0) + (chatBox?.width ?? 0)).toBeLessThanOrEqual((await box(page)).x)

  const before = await shareOf(page)
  await page.getByRole('separator').focus()
  await page.keyboard.press('ArrowLeft')
  expect(await shareOf(page)).toBe(before + 2)
  await page.keyboard.press('End')
  expect(await shareOf(page)).toBe(70)

  const { x, y } = await box(page)
  await page.mouse.move(x - 1, y + 200)
  await page.mouse.down()
  await page.mouse.move(x + 200, y + 200, { steps: 4 })
  // Over the other site too.
  await page.mouse.move(x + 350, y + 200, { steps: 4 })
  await page.mouse.up()
  const dragged = await shareOf(page)
  expect(dragged).toBe(Math.round(((1400 - x - 350) / 1400) * 100))
  await page.mouse.move(x, y)
  expect(await shareOf(page)).toBe(dragged)
  expect(requests).toHaveLength(1)

  await page.keyboard.press('Escape')
  await panel(page).waitFor({ state: 'detached' })
  expect(await open.evaluate(button => button === document.activeElement)).toBe(true)
  await open.click()
  expect(await shareOf(page)).toBe(dragged)
})

test('a finger moves the line between the chat and the page', async () => {
  await using chat = await offered({ viewport: { width: 1400, height: 800 }, hasTouch: true })
  const { page, open } = chat
  await open.tap()
  await panel(page).waitFor()
  const before = await shareOf(page)
  const { x, y } = await box(page)
  const touch = await page.context().newCDPSession(page)
  const at = (left: number) => [{ x: left, y: y + 300 }]
  await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: at(x - 1) })
  for (const moved of [40, 90, 140])
    await touch.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: at(x - moved) })
  await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
  await expect.poll(() => shareOf(page)).toBe(before + 10)
})

test('while the inspector is open the page waits behind it, and is still as it was when the inspector closes', async () => {
  await using chat = await offered({ viewport: { width: 1400, height: 800 } })
  const { page, open, requests } = chat
  await open.click()
  await page.frameLocator('iframe').getByText('A page elsewhere.').waitFor()
  await page.keyboard.press('Alt+KeyI')
  await page.getByRole('complementary', { name: 'Inspector' }).waitFor()
  expect(await panel(page).isVisible()).toBe(false)
  await page.keyboard.press('Escape')
  await panel(page).waitFor()
  expect(requests).toHaveLength(1)
})

test('on a phone the page is a sheet over the whole screen', async () => {
  await using chat = await offered({ viewport: { width: 390, height: 844 }, hasTouch: true })
  const { page, open } = chat
  await open.tap()
  await panel(page).waitFor()
  expect(await box(page)).toMatchObject({ x: 0, y: 0, width: 390, height: 844 })
  expect(await page.getByRole('separator').count()).toBe(0)
  await page.getByRole('button', { name: 'Close the page' }).tap()
  await panel(page).waitFor({ state: 'detached' })
})
