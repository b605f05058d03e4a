import type { TestBrowser } from '@throughline/testing/browser/browser'
import { sharedBrowser } from '@throughline/testing/browser/shared-browser'
import { sendJson } from '@throughline/testing/http/chat-requests'
import type { BrowserContextOptions, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { demoInstallation } from './inspector/demo-installation.ts'
import { half, numberedAgent } from './numbered-agent.ts'
import { answers, openConsole, send } from './open-console.ts'

const phone: BrowserContextOptions = { viewport: { width: 390, height: 760 }, hasTouch: true, isMobile: true }

let chromium: TestBrowser

beforeAll(async () => {
  chromium = await sharedBrowser()
})
afterAll(() => chromium[Symbol.asyncDispose]())

test('the first buttons of the page lead past the list: to the messages, and to the field', async () => {
  await using opened = await openConsole(chromium, {})
  const { page, server } = opened
  await page.goto(server.url)
  const field = page.getByRole('textbox', { name: 'Write a message…' })
  await field.waitFor()
  await skip(page, 'Skip to the content')
  await isFocused(page.locator('#messages'))
  await skip(page, 'Skip to the message field')
  await isFocused(field)
  expect(new URL(page.url()).hash).toBe('')
})

test('a closed drawer is out of reach, and an open one has the focus until Escape, a tap beside it, or a chat', async () => {
  await using opened = await openConsole(chromium, { browserContext: phone })
  const { page, server } = opened
  await sendJson(`${server.url}/api/chats`, { id: 'first', title: 'First' })
  await page.goto(server.url)
  const menu = page.getByRole('button', { name: 'Menu', exact: true })
  const drawer = page.locator('[data-drawer]')
  const isReachable = () => drawer.evaluate(element => element.contains(document.activeElement))
  const tabThrough = async () => {
    const seen: boolean[] = []
    for (let count = 0; count < 12; count += 1) {
      await page.keyboard.press('Tab')
      seen.push(await isReachable())
    }
    return new Set(seen)
  }
  await page.locator('[data-row=first]').waitFor({ state: 'attached' })
  expect(await tabThrough()).toEqual(new Set([false]))

  await menu.press('Enter')
  await isFocused(page.getByRole('button', { name: 'New chat' }))
  const main = page.locator('main')
  const isInMain = () => main.evaluate(element => element.contains(document.activeElement))
  for (let count = 0; count < 12; count += 1) {
    await page.keyboard.press('Tab')
    expect(await isInMain()).toBe(false)
  }
  await page.keyboard.press('Escape')
  await isFocused(menu)
  expect(await tabThrough()).toEqual(new Set([false]))

  await menu.tap()
  await page.touchscreen.tap(370, 400)
  await isFocused(menu)
  await menu.tap()
  await page.locator('[data-row=first] [data-chat-link]').tap()
  await page.waitForURL(/\/chats\/first$/)
  await isFocused(menu)

  // The search field is in the drawer: its shortcut opens it.
  await page.keyboard.press('Control+k')
  await isFocused(page.getByRole('searchbox'))
})

test('fields have text of 16 px on a phone, and nothing is wider than the window', async () => {
  await using opened = await openConsole(chromium, { ...demoInstallation(), browserContext: phone })
  const { page, server } = opened
  await page.goto(server.url)
  await page.getByRole('textbox', { name: 'Write a message…' }).fill('markdown')
  // Enter begins a new line on a phone.
  await page.getByRole('button', { name: 'Send', exact: true }).tap()
  await answers(page).and(page.locator('[data-status=finished]')).waitFor()
  const sizes = await page
    .locator('input, textarea, select')
    .evaluateAll(fields => fields.map(field => getComputedStyle(field).fontSize))
  expect(new Set(sizes)).toEqual(new Set(['16px']))
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
})

test('the focus stays in the list when a chat is renamed, deleted and brought back', async () => {
  await using opened = await openConsole(chromium, {})
  const { page, server } = opened
  for (const id of ['one', 'two']) await sendJson(`${server.url}/api/chats`, { id, title: id })
  await page.goto(server.url)
  const row = (id: string) => page.locator(`[data-row=${id}] [data-chat-link]`)
  const choose = async (id: string, item: string) => {
    await page.locator(`[data-row=${id}] [data-row-menu]`).press('Enter')
    await page.getByRole('menuitem', { name: item, exact: true }).press('Enter')
  }
  await choose('one', 'Rename')
  await isFocused(page.getByRole('textbox', { name: 'Rename' }))
  await page.keyboard.press('Escape')
  await isFocused(row('one'))
  await choose('one', 'Pin')
  await page.getByRole('heading', { name: 'Pinned' }).waitFor()
  await isFocused(row('one'))
  await choose('one', 'Delete')
  await isFocused(row('two'))
  await page.getByRole('button', { name: 'Undo' }).press('Enter')
  await isFocused(row('one'))
})

test('the focus goes back when the inspector closes, and stays among the messages when one is deleted', async () => {
  await using opened = await openConsole(chromium, demoInstallation())
  const { page, server } = opened
  await page.goto(server.url)
  await send(page, 'think')
  const inspect = answers(page).getByRole('button', { name: 'Inspect' })
  await inspect.press('Enter')
  await page.getByRole('tab').first().waitFor()
  await page.keyboard.press('Escape')
  await isFocused(inspect)
  page.on('dialog', dialog => dialog.accept())
  await answers(page).getByRole('button', { name: 'Delete' }).press('Enter')
  await answers(page).waitFor({ state: 'detached' })
  await isFocused(page.locator('#messages'))
})

test('finished sentences are announced once, not while they are written, and the end of the answer', async () => {
  const { agent, letEnd } = numberedAgent()
  await using opened = await openConsole(chromium, { agents: [agent] })
  const { page, server } = opened
  await page.goto(server.url)
  const log = page.getByRole('log')
  await log.waitFor({ state: 'attached' })
  await send(page, 'Question')
  await page.getByText(half(1).replace('assistant: ', '')).waitFor()
  letEnd(1)
  await log.getByText('The answer is finished.').waitFor({ state: 'attached' })
  const said = await log.locator('p').allTextContents()
  expect(new Set(said).size).toBe(said.length)
  expect(said.join(' ')).toBe(
    `${(await answers(page).locator('.prose').allTextContents()).join(' ')} The answer is finished.`,
  )
  await page.reload()
  await answers(page).waitFor()
  expect(await log.locator('p').count()).toBe(0)
})

test('an unknown chat says so, and a chat that begins there after all is shown', async () => {
  await using opened = await openConsole(chromium, {})
  const { page, server } = opened
  await page.goto(`${server.url}/chats/nowhere`)
  await page.getByRole('heading', { name: 'There is no such chat', level: 1 }).waitFor()
  expect(await page.getByRole('textbox', { name: 'Write a message…' }).count()).toBe(0)
  await page.getByRole('link', { name: 'New chat' }).click()
  await page.getByRole('textbox', { name: 'Write a message…' }).waitFor()
})

test('an unknown path is a page of its own, with the status 404', async () => {
  await using opened = await openConsole(chromium, { basePath: '/ai' })
  const { page, server } = opened
  const response = await page.goto(`${server.url}/ai/nowhere/at/all`)
  expect(response?.status()).toBe(404)
  await page.getByRole('heading', { name: 'There is no such page', level: 1 }).waitFor()
  await page.getByRole('main').getByRole('link', { name: 'New chat' }).click()
  await page.getByRole('textbox', { name: 'Write a message…' }).waitFor()
})

test('nothing moves for people who want no motion, and high contrast shows which chat is open', async () => {
  await using opened = await openConsole(chromium, {
    browserContext: { reducedMotion: 'reduce', forcedColors: 'active' },
  })
  const { page, server } = opened
  await sendJson(`${server.url}/api/chats`, { id: 'first', title: 'First' })
  await page.goto(`${server.url}/chats/first`)
  const open = page.locator('[data-chat-link][aria-current=page]')
  expect(await open.evaluate(element => getComputedStyle(element).outlineStyle)).toBe('solid')
  const moving = await page.locator('*').evaluateAll(
    all =>
      all.filter(element => {
        const { animationDuration, transitionDuration } = getComputedStyle(element)
        return Number.parseFloat(animationDuration) > 0.001 || Number.parseFloat(transitionDuration) > 0.001
      }).length,
  )
  expect(moving).toBe(0)
})

/** Uses a button that is seen only while it has the focus. */
async function skip(page: Page, name: string): Promise<void> {
  const button = page.getByRole('button', { name })
  await button.focus()
  expect((await button.boundingBox())?.width).toBeGreaterThan(50)
  await page.keyboard.press('Enter')
}

async function isFocused(element: Locator): Promise<void> {
  await expect.poll(() => element.evaluate(found => found === document.activeElement)).toBe(true)
}
