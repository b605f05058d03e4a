import type { TestBrowser } from '@throughline/testing/browser/browser'
import { sharedBrowser } from '@throughline/testing/browser/shared-browser'
import type { Locator, Page, Route } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { half, numberedAgent, whole } from '../numbered-agent.ts'
import { openConsole, send, untilShown } from '../open-console.ts'
import { openMidAnswer } from '../open-mid-answer.ts'

let chromium: TestBrowser

beforeAll(async () => {
  chromium = await sharedBrowser()
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
  await rowOf(page, 'Fourth').getByRole('button', { name: 'Remove' }).click()
  await untilWaiting(page, ['Second'])
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

test('a message that waits is edited in its place: by keyboard, in all tabs, and the agent gets the new text', async () => {
  await using opened = await openMidAnswer(chromium)
  const { letEnd, page } = opened
  for (const text of ['Second', 'Third']) await send(page, text)
  await untilWaiting(page, ['Second', 'Third'])
  const tab = await opened.newTab()
  await tab.goto(page.url())
  await untilWaiting(tab, ['Second', 'Third'])

  const edit = () => rowOf(page, 'Second').getByRole('button', { name: 'Edit' })
  await edit().press('Enter')
  expect(await editor(page).inputValue()).toBe('Second')
  await untilFocused(editor(page))
  await page.keyboard.type(' thoughts')
  await page.keyboard.press('Escape')
  await untilWaiting(page, ['Second', 'Third'])
  await untilFocused(edit())

  await edit().press('Enter')
  await untilFocused(editor(page))
  await page.keyboard.press('Shift+Enter')
  await page.keyboard.type('in two lines')
  await expect.poll(() => editor(page).inputValue()).toBe('Second\nin two lines')
  // The server is away for a moment: the text stays in its field, with the reason.
  await page.route('**/queue/*', route => route.abort())
  await editor(page).press('Enter')
  await page.getByRole('alert').getByText('The server cannot be reached.').waitFor()
  expect(await editor(page).inputValue()).toBe('Second\nin two lines')
  await page.unroute('**/queue/*')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await untilWaiting(page, ['Second\nin two lines', 'Third'])
  await untilWaiting(tab, ['Second\nin two lines', 'Third'])
  expect(await page.getByRole('alert').count()).toBe(0)
  await untilFocused(edit())
  letEnd(1)
  await untilShown(page, ['user: Question', whole(1), 'user: Second\nin two lines', half(2)])
})

test('an edit that comes too late says so, and what was typed goes to the field', async () => {
  await using opened = await openMidAnswer(chromium)
  const { letEnd, page } = opened
  await send(page, 'Second')
  await untilWaiting(page, ['Second'])
  await field(page).fill('Draft')
  await rowOf(page, 'Second').getByRole('button', { name: 'Edit' }).click()
  await editor(page).fill('Second, but better')
  letEnd(1)
  await untilShown(page, ['user: Question', whole(1), 'user: Second', half(2)])
  // The field stays: the person types.
  await page.getByRole('alert').getByText('This message does not wait any more.').waitFor()
  await editor(page).press('Enter')
  await expect.poll(() => field(page).inputValue()).toBe('Second, but better\n\nDraft')
  await untilFocused(field(page))
  await editor(page).waitFor({ state: 'detached' })
  const alert = page.getByRole('alert').filter({ hasText: 'This message does not wait any more.' })
  await alert.waitFor()
  await alert.getByRole('button', { name: 'Close' }).click()
  await alert.waitFor({ state: 'detached' })
})

test('what was typed into a message that waits is in the field when another chat is shown meanwhile', async () => {
  await using opened = await openMidAnswer(chromium)
  const { page } = opened
  await send(page, 'Second')
  await untilWaiting(page, ['Second'])
  await rowOf(page, 'Second').getByRole('button', { name: 'Edit' }).click()
  await editor(page).fill('Second, half')
  await page.getByRole('button', { name: 'New chat' }).click()
  await expect.poll(() => field(page).inputValue()).toBe('')
  await page.goBack()
  await expect.poll(() => field(page).inputValue()).toBe('Second, half')
  await untilWaiting(page, ['Second'])
})

test('a message that is still on its way can be edited, also when the server turns out to be away', async () => {
  await using opened = await openMidAnswer(chromium)
  const { page } = opened
  const arrived = Promise.withResolvers<Route>()
  await page.route('**/messages', (route, request) =>
    request.method() === 'POST' ? arrived.resolve(route) : route.continue(),
  )
  await send(page, 'Second')
  const post = await arrived.promise
  await rowOf(page, 'Second').getByRole('button', { name: 'Edit' }).click()
  await editor(page).fill('Changed')
  await editor(page).press('Enter')
  expect(await editor(page).inputValue()).toBe('Changed')
  await post.abort()
  await page.getByText('Sent when the server is back').waitFor()
  await editor(page).press('Enter')
  await expect.poll(() => field(page).inputValue()).toBe('Changed')
  await untilShown(page, ['user: Question', half(1)])
  await page.unroute('**/messages')
  await page.keyboard.press('Enter')
  await untilWaiting(page, ['Changed'])
})

test('a removal that comes too late says so, also when nothing waits any more', async () => {
  await using opened = await openMidAnswer(chromium)
  const { page } = opened
  await send(page, 'Second')
  await untilWaiting(page, ['Second'])
  await page.route('**/queue/*', async route => {
    // Somebody else was faster.
    await route.fetch()
    await route.continue()
  })
  await rowOf(page, 'Second').getByRole('button', { name: 'Remove' }).click()
  await untilWaiting(page, [])
  await page.getByRole('alert').getByText('This message does not wait any more.').waitFor()
})

test('an older list of what waits does not replace a newer one that has overtaken it', async () => {
  await using opened = await openMidAnswer(chromium)
  const { page } = opened
  await send(page, 'Second')
  await untilWaiting(page, ['Second'])
  const tab = await opened.newTab()
  await tab.goto(page.url())
  await untilWaiting(tab, ['Second'])

  const held = Promise.withResolvers<void>()
  const fulfilled = Promise.withResolvers<void>()
  await page.route(
    '**/queue',
    async route => {
      const response = await route.fetch()
      await held.promise
      await route.fulfill({ response })
      fulfilled.resolve()
    },
    { times: 1 },
  )
  const asked = page.waitForRequest('**/queue')
  await send(tab, 'Third')
  await untilWaiting(tab, ['Second', 'Third'])
  await asked
  await rowOf(tab, 'Second').getByRole('button', { name: 'Remove' }).click()
  await untilWaiting(page, ['Third'])
  held.resolve()
  await fulfilled.promise
  await twoFrames(page)
  await untilWaiting(page, ['Third'])
})

test('two tabs of one chat do not lose what is typed in each, also after a reload', async () => {
  await using opened = await openMidAnswer(chromium)
  const { page } = opened
  const tab = await opened.newTab()
  await tab.goto(page.url())
  await field(page).fill('In the first tab')
  await field(tab).fill('In the second tab')
  await page.reload()
  await expect.poll(() => field(page).inputValue()).toBe('In the first tab')
  // What is sent in one tab is forgotten only there.
  await field(page).press('Enter')
  await untilWaiting(tab, ['In the first tab'])
  await tab.reload()
  await expect.poll(() => field(tab).inputValue()).toBe('In the second tab')
  await tab.close()
  const next = await opened.newTab()
  await next.goto(page.url())
  await expect.poll(() => field(next).inputValue()).toBe('In the second tab')
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
  await expect.poll(() => field(page).inputValue()).toBe('A message')
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

  await field(page).fill('Waits')
  await page.getByRole('button', { name: 'Send' }).tap()
  await untilWaiting(page, ['Waits'])
  await rowOf(page, 'Waits').getByRole('button', { name: 'Edit' }).tap()
  await untilFocused(editor(page))
  await page.keyboard.press('Enter')
  await page.keyboard.type('here')
  await page.getByRole('button', { name: 'Save', exact: true }).tap()
  await untilWaiting(page, ['Waits\nhere'])
})

function field(page: Page) {
  return page.getByRole('textbox', { name: 'Write a message…' })
}

function editor(page: Page) {
  return page.getByRole('textbox', { name: 'Edit the message that waits' })
}

function rowOf(page: Page, text: string) {
  return page.locator('[data-waiting]').filter({ hasText: text })
}

async function untilWaiting(page: Page, texts: readonly string[]): Promise<void> {
  const shown = () => page.locator('[data-waiting] > span').allTextContents()
  await expect.poll(shown).toEqual(texts)
}

async function untilFocused(element: Locator): Promise<void> {
  await expect.poll(() => element.evaluate(each => each === document.activeElement)).toBe(true)
}

/** Waits until the page has drawn what it has received. */
async function twoFrames(page: Page): Promise<void> {
  await page.evaluate(
    () => new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  )
}
