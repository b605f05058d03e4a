import { titlingModel } from '@throughline/testing/agent/titling-model'
import type { TestBrowser } from '@throughline/testing/browser/browser'
import { sharedBrowser } from '@throughline/testing/browser/shared-browser'
import { sendJson, submit } from '@throughline/testing/http/chat-requests'
import { delegating } from '@throughline/testing/server/delegating-server'
import { asksApproval } from '@throughline/testing/server/waiting-call'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { half, numberedAgent, whole } from './numbered-agent.ts'
import { openConsole, send, untilShown } from './open-console.ts'

let chromium: TestBrowser

beforeAll(async () => {
  chromium = await sharedBrowser()
})
afterAll(() => chromium[Symbol.asyncDispose]())

test('all tabs show at once what each chat does, through one connection, which the next tab takes over', async () => {
  const { agent, letEnd } = numberedAgent()
  await using opened = await openConsole(chromium, { agents: [agent] })
  const { page: first, server } = opened
  const second = await opened.newTab()
  const streams: Page[] = []
  for (const tab of [first, second])
    tab.on('request', request => request.url().endsWith('/api/chats-stream') && streams.push(tab))
  await first.goto(server.url)
  await first.getByText('Your chats will be listed here.').waitFor()
  await second.goto(server.url)
  await second.getByText('Your chats will be listed here.').waitFor()

  await send(first, 'Where is Lisbon?')
  await untilShown(first, ['user: Where is Lisbon?', half(1)])
  for (const tab of [first, second]) await row(tab, 'Where is Lisbon?').getByText('running').waitFor()
  await titled(first, 'running · Where is Lisbon? · Throughline')
  await titled(second, 'Throughline')
  letEnd(1)
  await untilShown(first, ['user: Where is Lisbon?', whole(1)])
  await titled(first, 'Where is Lisbon? · Throughline')
  expect(streams).toEqual([first])

  // What one tab has seen is not new in the other one, whoever asked.
  await expect.poll(() => row(second, 'Where is Lisbon?').locator('[data-state]').count()).toBe(0)
  await first.close()
  await submit(server.url, { chatId: 'other', text: 'And Porto?' })
  letEnd(2)
  await row(second, 'And Porto?').getByText('new').waitFor()
  await titled(second, '(1) Throughline')
  expect(streams).toEqual([first, second])
  await row(second, 'And Porto?').getByRole('button').first().click()
  await expect.poll(() => row(second, 'And Porto?').locator('[data-state]').count()).toBe(0)
  await titled(second, 'And Porto? · Throughline')
  await second.reload()
  await row(second, 'And Porto?').waitFor()
  expect(await second.getByText('new', { exact: true }).count()).toBe(0)

  await fetch(`${server.url}/api/chats/other`, { method: 'DELETE' })
  await expect.poll(() => row(second, 'And Porto?').count()).toBe(0)
})

test('a chat that waits for a decision says so in its row, in the title, and in a notification if that was asked for', async () => {
  await using opened = await openConsole(chromium, asksApproval().serverOptions)
  const { page, server } = opened
  await page.context().grantPermissions(['notifications'], { origin: server.url })
  await page.addInitScript(recordNotifications)
  await page.goto(server.url)
  await page.getByText('Your chats will be listed here.').waitFor()
  const shown = () => page.evaluate(() => Reflect.get(globalThis, 'shownNotifications'))

  await sendJson(`${server.url}/api/chats`, { id: 'quiet', title: 'Quiet' })
  await submit(server.url, { chatId: 'first', text: 'Remove it' })
  await row(page, 'Remove it').getByText('waiting for you').waitFor()
  await titled(page, '(1) Throughline')
  expect(await shown()).toEqual([])

  await page.getByRole('link', { name: 'Settings' }).click()
  await page.getByRole('button', { name: 'Notifications', pressed: false }).click()
  await page.getByRole('button', { name: 'Notifications', pressed: true }).waitFor()
  await submit(server.url, { chatId: 'second', text: 'Remove all' })
  await expect.poll(shown).toEqual(['Remove all: This waits for you'])
  await titled(page, '(2) Throughline')
  await page.reload()
  await page.getByRole('button', { name: 'Notifications', pressed: true }).waitFor()
})

test('a hidden tab notifies about nothing while the person looks at another tab of the page', async () => {
  await using opened = await openConsole(chromium, asksApproval().serverOptions)
  const { page, server } = opened
  await page.context().grantPermissions(['notifications'], { origin: server.url })
  await page.goto(server.url)
  await page.getByText('Your chats will be listed here.').waitFor()
  const hidden = await opened.newTab()
  await hidden.addInitScript(recordNotifications)
  await hidden.addInitScript(() => localStorage.setItem('throughline.notifications', 'on'))
  await hidden.goto(server.url)
  await hidden.getByText('Your chats will be listed here.').waitFor()
  const shown = () => hidden.evaluate(() => Reflect.get(globalThis, 'shownNotifications'))

  await submit(server.url, { chatId: 'first', text: 'Remove it' })
  await titled(hidden, '(1) Throughline')
  await titled(page, '(1) Throughline')
  await page.close()
  await submit(server.url, { chatId: 'second', text: 'Remove all' })
  // Had the first one been told, it would be here, too.
  await expect.poll(shown).toEqual(['Remove all: This waits for you'])
})

test('without permission nothing is ever asked on load, and the switch stays off', async () => {
  await using opened = await openConsole(chromium, {})
  const { page, server } = opened
  await page.addInitScript(() => {
    Reflect.set(globalThis, 'asked', 0)
    Notification.requestPermission = async () => {
      Reflect.set(globalThis, 'asked', Reflect.get(globalThis, 'asked') + 1)
      return 'denied'
    }
  })
  await page.goto(server.url)
  await page.getByText('Your chats will be listed here.').waitFor()
  const asked = () => page.evaluate(() => Reflect.get(globalThis, 'asked'))
  expect(await asked()).toBe(0)
  await page.getByRole('link', { name: 'Settings' }).click()
  await page.getByRole('button', { name: 'Notifications' }).click()
  await expect.poll(asked).toBe(1)
  await page.getByRole('button', { name: 'Notifications', pressed: false }).waitFor()
})

test('a title that the model makes takes the place of the first words, in the list and above the chat', async () => {
  const held = Promise.withResolvers<void>()
  const model = titlingModel(() => held.promise.then(() => '里斯本的天气'))
  await using opened = await openConsole(chromium, delegating({ model, titles: true }))
  const { page, server } = opened
  await page.goto(server.url)
  await send(page, 'How is the weather in Lisbon?')
  await untilShown(page, ['user: How is the weather in Lisbon?', 'assistant: Sunny.'])
  await row(page, 'How is the weather in Lisbon?').waitFor()
  held.resolve()
  await row(page, '里斯本的天气').waitFor()
  await page.getByRole('heading', { name: '里斯本的天气' }).waitFor()
  await titled(page, '里斯本的天气 · Throughline')
})

test('a tab without locks follows the chats by itself while it is seen', async () => {
  await using opened = await openConsole(chromium, {})
  const { page, server } = opened
  await page.addInitScript(() => Reflect.deleteProperty(Navigator.prototype, 'locks'))
  await page.goto(server.url)
  await sendJson(`${server.url}/api/chats`, { id: 'new', title: 'Without locks' })
  await row(page, 'Without locks').waitFor()
})

function row(page: Page, text: string) {
  return page.getByRole('navigation').getByRole('listitem').filter({ hasText: text })
}

async function titled(page: Page, title: string): Promise<void> {
  await expect.poll(() => page.title()).toBe(title)
}

/** Keeps what the page notifies about. The page is told that nobody sees it. */
function recordNotifications(): void {
  const shown: string[] = []
  Reflect.set(globalThis, 'shownNotifications', shown)
  class RecordedNotification extends EventTarget {
    static readonly permission = 'granted'
    static readonly requestPermission = async () => 'granted'
    constructor(title: string, { body }: { readonly body: string }) {
      super()
      shown.push(`${title}: ${body}`)
    }
  }
  Reflect.set(globalThis, 'Notification', RecordedNotification)
  Object.defineProperty(document, 'visibilityState', { get: () => 'hidden' })
}
