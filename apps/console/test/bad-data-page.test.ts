import { finish, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import type { TestBrowser } from '@throughline/testing/browser/browser'
import { sharedBrowser } from '@throughline/testing/browser/shared-browser'
import { ask } from '@throughline/testing/http/chat-requests'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { answers, openConsole, shownMessages } from './open-console.ts'

const agents = [scriptedAgent('assistant', [say('Fine.'), finish])]
const chatAddress = '**/api/chats/chat/messages*'

let chromium: TestBrowser

beforeAll(async () => {
  chromium = await sharedBrowser()
})
afterAll(() => chromium[Symbol.asyncDispose]())

test.each([
  ['en-US', 'The response cannot be read: it is not JSON.', 'Try again'],
  ['zh-CN', '服务器返回的数据无法读取，请重试。', '重试'],
])(
  'a page in place of a chat is told as bad data, and loaded again only when the person wants, in %s',
  async (locale, text, again) => {
    await using opened = await openConsole(chromium, { agents, browserContext: { locale } })
    const { page, server } = opened
    await (await ask(server.url)).text()
    let requests = 0
    await page.route(chatAddress, route => {
      requests += 1
      return route.fulfill({ status: 200, contentType: 'text/html', body: '<h1>Welcome</h1>' })
    })
    await page.goto(`${server.url}/chats/chat`)
    await page.getByRole('alert').getByText(text).waitFor()
    expect(requests).toBe(1)
    await page.unroute(chatAddress)
    await page.getByRole('alert').getByRole('button', { name: again }).click()
    await answers(page).getByText('Fine.').waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
  },
)

test.each([
  ['en-US', 'This part cannot be shown.'],
  ['zh-CN', '此部分无法显示。'],
])('parts that cannot be read are marked, and everything else is shown, in %s', async (locale, text) => {
  await using opened = await openConsole(chromium, { agents, browserContext: { locale } })
  const { page, server } = opened
  await (await ask(server.url)).text()
  await damage(page)
  await page.goto(`${server.url}/chats/chat`)
  await answers(page).getByText('Fine.').waitFor()
  expect(await shownMessages(page)).toEqual(['user: How is the weather?', 'assistant: Fine.'])
  expect(await page.locator('article[data-role=user]').getByText(text).count()).toBe(1)
  expect(await answers(page).getByText(text).count()).toBe(4)
})

test('a page whose data has another form says so, and shows everything once the data is right', async () => {
  await using opened = await openConsole(chromium, { agents })
  const { page, server } = opened
  const errors: Error[] = []
  page.on('pageerror', error => errors.push(error))
  await page.route('**/api/agents', route => route.fulfill({ json: { agents: 3 } }))
  await page.goto(`${server.url}/agents`)
  const note = page.getByRole('status').filter({ hasText: 'The agents cannot be loaded.' })
  await note.waitFor()
  await page.unroute('**/api/agents')
  await note.getByRole('button').click()
  await page.getByRole('main').getByRole('link').first().waitFor()
  expect(errors).toEqual([])
})

/** Adds parts that cannot be read to what the page loads. */
async function damage(page: Page): Promise<void> {
  await page.route(chatAddress, async route => {
    const body = await (await route.fetch()).json()
    const [user, answer] = body.messages
    user.parts.push({ type: 'text', text: 5 })
    answer.parts.unshift(null, { type: 'text' }, { kind: 'odd' })
    answer.parts.push({ type: 'tool-look', toolCallId: 7, state: 'output-available' })
    await route.fulfill({ json: body })
  })
}
