import { fileURLToPath } from 'node:url'
import { createDemoModel, demoTools } from '@throughline/agents/demo'
import type { TestBrowser } from '@throughline/testing/browser/browser'
import { sharedBrowser } from '@throughline/testing/browser/shared-browser'
import { defaultInstallation } from '@throughline/testing/server/default-installation'
import { startTestServer, type TestServer } from '@throughline/testing/server/test-server'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { framesOf, namesIn, recordFrames, vanished } from './watch-frames.ts'

const pageFolder = fileURLToPath(new URL('../dist', import.meta.url))

let chromium: TestBrowser
let server: TestServer
let page: Page
let problems: string[]

beforeAll(async () => {
  chromium = await sharedBrowser()
})
afterAll(() => chromium[Symbol.asyncDispose]())

beforeEach(async () => {
  server = await startTestServer({
    ...defaultInstallation(createDemoModel({ wordsPerSecond: 150 }), { tools: demoTools() }),
    pageFolder,
  })
  page = await (await chromium.browser.newContext({ locale: 'en-US' })).newPage()
  problems = []
  page.on('pageerror', error => problems.push(String(error)))
  page.on('console', message => message.type() === 'error' && problems.push(message.text()))
  await page.goto(server.url)
})
afterEach(async () => {
  await page.context().close()
  await server[Symbol.asyncDispose]()
})

async function send(text: string): Promise<void> {
  await page.getByRole('textbox').fill(text)
  await page.keyboard.press('Enter')
}

const answer = () => page.locator('article[data-role=assistant]').last()
const ended = (status: string) => page.locator(`article[data-status=${status}]`).last().waitFor()
const answerText = async () => (await answer().textContent()) ?? ''

/** Waits until the answer on the page is longer than it was. */
async function grown(than: number): Promise<string> {
  await page.waitForFunction(length => {
    const answers = document.querySelectorAll('article[data-role=assistant]')
    return (answers[answers.length - 1]?.textContent?.length ?? 0) > length
  }, than)
  return answerText()
}

test('text, tool and text stand in order, and the tool opens when the person wants it to', async () => {
  await send('What is the weather in Lisbon?')
  await ended('finished')
  expect(
    await answer()
      .locator('.prose, section[data-stage]')
      .evaluateAll(parts => parts.map(part => part.tagName)),
  ).toEqual(['DIV', 'SECTION', 'DIV'])
  const tool = answer().locator('section[data-stage=done]')
  expect(await tool.locator('pre').count()).toBe(0)
  await tool.getByRole('button').click()
  expect(await tool.locator('pre').first().textContent()).toContain('Lisbon')
  expect(problems).toEqual([])
})

test('in every frame the user’s message is there once, and the agent has its right name', async () => {
  await recordFrames(page)
  await send('Use several tools at once')
  await ended('finished')
  await send('What is the weather in Paris?')
  await page.locator('article[data-status=finished]').nth(1).waitFor()
  const frames = await framesOf(page)
  expect(vanished(frames)).toEqual([])
  expect(namesIn(frames)).toEqual(['Assistant'])
})

test('a reload in mid-answer continues it: nothing is lost, nothing comes twice', async () => {
  await send('Give me a very long answer')
  await page.waitForURL(/\/chats\//)
  await grown(400)
  const before = await answerText()
  await page.reload()
  const after = await grown(before.length)
  // The last block may have been drawn in part. Everything before it must be the same.
  expect(after.startsWith(before.slice(0, -80))).toBe(true)
  expect(await page.locator('article').count()).toBe(2)
  expect(await page.locator('article[data-role=user]').textContent()).toBe('Give me a very long answer')

  await page.getByRole('button', { name: 'Stop' }).click()
  await ended('stopped')
  const stopped = await answerText()
  await page.reload()
  await ended('stopped')
  // A long text is drawn over several animation frames.
  await expect.poll(answerText).toBe(stopped)
  expect(problems).toEqual([])
})

test('a second tab shows the same answer while it is being made', async () => {
  await send('Give me a very long answer')
  await page.waitForURL(/\/chats\//)
  await grown(200)
  const second = await page.context().newPage()
  await second.goto(page.url())
  await second.locator('article[data-role=assistant]').waitFor()
  await page.getByRole('button', { name: 'Stop' }).click()
  await ended('stopped')
  await second.locator('article[data-status=stopped]').waitFor()
  expect(await second.locator('article').allTextContents()).toEqual(
    await page.locator('article').allTextContents(),
  )
  await second.close()
})

test('a failed answer says so, also after a reload, and a new message works', async () => {
  await send('error')
  await ended('failed')
  await page.getByRole('alert').waitFor()
  const shown = await answerText()
  await page.reload()
  await ended('failed')
  expect(await answerText()).toBe(shown)
  await send('help')
  await ended('finished')
})

test('a message that does not get through stays, says why, and can be sent again', async () => {
  await page.route('**/api/chats/*/messages', route =>
    route.fulfill({ status: 400, json: { code: 'no', detail: 'Not today.' } }),
  )
  await send('What is the weather in Lisbon?')
  await page.getByRole('alert').waitFor()
  expect(await page.getByRole('alert').textContent()).toContain('Not today.')
  await page.unroute('**/api/chats/*/messages')
  await page.getByRole('button', { name: 'Try again' }).click()
  await ended('finished')
  expect(await page.locator('article[data-role=user]').count()).toBe(1)
})

test('chats are listed, can be renamed and deleted, and speak Chinese', async () => {
  await send('What is the weather in Lisbon?')
  await ended('finished')
  const row = page
    .getByRole('navigation')
    .getByRole('listitem')
    .filter({ hasText: 'What is the weather in Lisbon?' })
  await row.getByRole('button', { name: /Actions/ }).click()
  await page.getByRole('menuitem', { name: 'Rename' }).click()
  await page.getByRole('textbox', { name: 'Rename' }).fill('Lisbon')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Lisbon' }).waitFor()

  await page.getByRole('link', { name: 'Settings' }).click()
  await page.getByText('中文', { exact: true }).click()
  await page.getByRole('button', { name: '新对话' }).waitFor()
  expect(await page.locator('html').getAttribute('lang')).toBe('zh-CN')

  const renamed = page.getByRole('navigation').getByRole('listitem').filter({ hasText: 'Lisbon' })
  await renamed.getByRole('button', { name: /操作/ }).click()
  await page.getByRole('menuitem', { name: '删除' }).click()
  await page.getByText('你的对话会显示在这里。').waitFor()
})

test('what a model writes runs no script and loads nothing', async () => {
  const requests: string[] = []
  page.on('request', request => requests.push(request.url()))
  await send('echo <img src=x onerror=alert(1)> ![a](http://198.51.100.1/x.png) [b](javascript:alert(1))')
  await ended('finished')
  expect(requests.filter(address => !address.startsWith(server.url))).toEqual([])
  expect(await page.locator('article img, article script, article a[href^=javascript]').count()).toBe(0)
  expect(problems).toEqual([])
})
