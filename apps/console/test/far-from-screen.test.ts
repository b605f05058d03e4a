import { finish, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import { launchBrowser, type TestBrowser } from '@throughline/testing/browser/browser'
import { ask } from '@throughline/testing/http/chat-requests'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openConsole } from './open-console.ts'
import { expectNoJump, scrollUp } from './read-history.ts'
import { watchPlace } from './watch-place.ts'

let chromium: TestBrowser

beforeAll(async () => {
  chromium = await launchBrowser()
})
afterAll(() => chromium[Symbol.asyncDispose]())

const fence = '```'
const count = 300
const code = (number: number) => `const number = ${number} // yes\n\ncall(number)\n`
const text = Array.from(
  { length: count },
  (_, number) => `Text ${number}.\n\n${fence}js\n${code(number)}${fence}\n\n`,
).join('')
const writer = scriptedAgent('assistant', [say(`${text}The end.`), finish])

/** Opens a chat with a long answer of text and code, after it was written. The page shows its end. */
async function openLongAnswer() {
  const opened = await openConsole(chromium, { agents: [writer] })
  await (await ask(opened.server.url)).text()
  await opened.page.goto(`${opened.server.url}/chats/chat`)
  await opened.page.getByText('The end.').waitFor()
  await colours(figure(opened.page, count - 1))
    .first()
    .waitFor()
  return opened
}

const figure = (page: Page, number: number) => page.locator('figure').nth(number)
const colours = (figure: Locator) => figure.locator('.code-keyword')
const copyButton = (figure: Locator) => figure.getByRole('button', { name: 'Copy' })

test('code far from the screen has all of its text, but neither colours nor a button; near the screen it has both', async () => {
  await using opened = await openLongAnswer()
  const { page } = opened
  await page.locator('#messages').evaluate(box => box.scrollTo({ top: 0 }))
  await colours(figure(page, 0)).first().waitFor()
  await expect.poll(() => colours(figure(page, count - 1)).count()).toBe(0)
  const middle = figure(page, count / 2)
  expect([await colours(middle).count(), await copyButton(middle).count()]).toEqual([0, 0])
  expect(await page.locator('pre').allTextContents()).toEqual(
    Array.from({ length: count }, (_, number) => code(number)),
  )
  await middle.scrollIntoViewIfNeeded()
  await colours(middle).first().waitFor()
  await copyButton(middle).waitFor()
  expect(await middle.locator('pre').textContent()).toBe(code(count / 2))
})

test('nothing moves when code gets its colours and its button', async () => {
  await using opened = await openLongAnswer()
  const { page } = opened
  await scrollUp(page)
  const middle = figure(page, count / 2)
  await middle.evaluate(found => found.scrollIntoView({ block: 'center' }))
  await watchPlace(middle)
  const height = () => middle.evaluate(found => found.getBoundingClientRect().height)
  const before = await height()
  await colours(middle).first().waitFor()
  await copyButton(middle).waitFor()
  expect(await height()).toBe(before)
  await expectNoJump(page)
})

test('code that a person has selected keeps its colours and the selection, however far away it is', async () => {
  await using opened = await openLongAnswer()
  const { page } = opened
  const last = figure(page, count - 1)
  await last.locator('pre').evaluate(pre => getSelection()?.selectAllChildren(pre))
  await page.locator('#messages').evaluate(box => box.scrollTo({ top: 0 }))
  await colours(figure(page, 0)).first().waitFor()
  expect(await colours(last).count()).toBe(1)
  expect((await page.evaluate(() => String(getSelection()))).trim()).toBe(code(count - 1).trim())
})
