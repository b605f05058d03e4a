import { fileURLToPath } from 'node:url'
import { createDemoModel, demoSubAgents, demoTools } from '@throughline/agents/demo'
import type { TestBrowser } from '@throughline/testing/browser/browser'
import { sharedBrowser } from '@throughline/testing/browser/shared-browser'
import { defaultInstallation } from '@throughline/testing/server/default-installation'
import { startTestServer, type TestServer } from '@throughline/testing/server/test-server'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'

const pageFolder = fileURLToPath(new URL('../dist', import.meta.url))

let chromium: TestBrowser
let server: TestServer
let page: Page

beforeAll(async () => {
  chromium = await sharedBrowser()
})
afterAll(() => chromium[Symbol.asyncDispose]())

beforeEach(async () => {
  const model = createDemoModel({ wordsPerSecond: 150 })
  const installation = defaultInstallation(model, { subAgents: demoSubAgents(), tools: demoTools() })
  server = await startTestServer({ ...installation, pageFolder })
  page = await (await chromium.browser.newContext({ locale: 'en-US' })).newPage()
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

const finished = () => page.locator('article[data-status=finished]').waitFor()
const researcher = () => page.locator('[data-sub-agent=researcher]')

test('sub-agents work inside the call that asked for them, each under its own name and depth', async () => {
  await send('delegate')
  await finished()
  // The card is closed when the sub-agent is done. Its work is inside.
  const checker = researcher().locator('[data-sub-agent=checker]')
  expect(await checker.count()).toBe(0)
  await researcher().getByRole('button').first().click()
  expect(await researcher().getAttribute('data-depth')).toBe('1')
  expect(await checker.getAttribute('data-depth')).toBe('2')
  expect(await page.locator('article').count()).toBe(2)
  expect(await researcher().getAttribute('data-stage')).toBe('done')
})

test('after a reload the work of sub-agents stands where it stood', async () => {
  await send('delegate')
  await finished()
  await researcher().getByRole('button').first().click()
  const shown = await researcher().textContent()
  await page.reload()
  await finished()
  // The person has opened the card, so it is open.
  expect(await researcher().textContent()).toBe(shown)
})

test.each([
  ['Approve', 'done'],
  ['Deny', 'denied'],
])('a call that needs approval shows what it would do, and waits: %s', async (answer, stage) => {
  await send('approve')
  const question = page.getByRole('alertdialog')
  await question.waitFor()
  expect(await question.textContent()).toContain('"to"')
  expect(await page.locator('[data-tail-text]').allTextContents()).toEqual([
    'Assistant is waiting for your approval',
  ])
  // Nothing happens before the decision, not even after leaving the page and coming back.
  await page.reload()
  await question.getByRole('button', { name: answer }).click()
  await finished()
  expect(await page.locator('section[data-stage]').getAttribute('data-stage')).toBe(stage)
})

test('a delegation that is refused and one that fails are not shown as done, also after a reload', async () => {
  await send('refuse')
  await finished()
  const stages = () =>
    page
      .locator('article > div > section[data-stage]')
      .evaluateAll(all => all.map(each => each.getAttribute('data-stage')))
  expect(await stages()).toEqual(['refused', 'done'])
  await page.getByText('There is no agent "astronaut".', { exact: true }).waitFor()
  await page.reload()
  await finished()
  expect(await stages()).toEqual(['refused', 'done'])
  await page.getByRole('button', { name: 'New chat' }).click()
  await send('broken agent')
  await finished()
  expect(await stages()).toEqual(['failed'])
})

test('Continue makes a stopped answer go on where it stopped', async () => {
  await send('Give me a very long answer')
  const texts = page.locator('article[data-role=assistant]')
  await expect.poll(async () => (await texts.textContent())?.length).toBeGreaterThan(300)
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByRole('button', { name: 'Continue', exact: true }).click()
  await texts.nth(1).locator('.prose').waitFor()
  expect(await texts.nth(1).textContent()).not.toContain('demo model')
  await page.getByRole('button', { name: 'Stop' }).click()
})
