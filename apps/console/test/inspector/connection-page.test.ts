import type { TestBrowser } from '@throughline/testing/browser/browser'
import { sharedBrowser } from '@throughline/testing/browser/shared-browser'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { half, numberedAgent, whole } from '../numbered-agent.ts'
import { answers, openConsole, send, untilShown } from '../open-console.ts'
import { openMidAnswer } from '../open-mid-answer.ts'

let chromium: TestBrowser
beforeAll(async () => {
  chromium = await sharedBrowser()
})
afterAll(() => chromium[Symbol.asyncDispose]())

const inspector = (page: Page) => page.getByRole('complementary', { name: 'Inspector' })
const press = (page: Page, name: string) => inspector(page).getByRole('button', { name }).click()
const lost = (page: Page) => page.getByText('Connection lost, reconnecting…')

test('a chat whose connection was cut in mid-answer misses what comes, and has all of it when it is connected again', async () => {
  await using opened = await openMidAnswer(chromium)
  const { letEnd, page } = opened
  await page.keyboard.press('Alt+i')
  await press(page, 'Cut the connection of the chat')
  await lost(page).waitFor()
  letEnd(1)
  // The inspector has its own connection: it sees the end that the chat cannot see.
  await inspector(page).locator('[data-type=finish]').waitFor()
  await untilShown(page, ['user: Question', half(1)])

  await press(page, 'Connect the chat again')
  await untilShown(page, ['user: Question', whole(1)])
  await lost(page).waitFor({ state: 'detached' })
  await press(page, 'Reload the page')
  await untilShown(page, ['user: Question', whole(1)])
  await inspector(page).waitFor()
})

test('a connection that was cut is mended when the inspector is closed', async () => {
  await using opened = await openMidAnswer(chromium)
  const { page } = opened
  await page.keyboard.press('Alt+i')
  await press(page, 'Cut the connection of the chat')
  await lost(page).waitFor()
  await page.keyboard.press('Escape')
  await lost(page).waitFor({ state: 'detached' })
})

test('a conversation goes on from an earlier answer as a branch, and the rest stays', async () => {
  const { agent, asked, letEnd } = numberedAgent()
  for (const answer of [1, 2, 3]) letEnd(answer)
  await using opened = await openConsole(chromium, { agents: [agent] })
  const { page, server } = opened
  await page.goto(server.url)
  await send(page, 'One')
  await untilShown(page, ['user: One', whole(1)])
  await send(page, 'Two')
  await untilShown(page, ['user: One', whole(1), 'user: Two', whole(2)])
  await answers(page).first().getByRole('button', { name: 'Inspect' }).click()
  await inspector(page).getByRole('tab', { name: 'Replay' }).click()
  await inspector(page).getByText('The new message follows “Answer 1 begins.').waitFor()
  await inspector(page).getByRole('textbox', { name: 'Go on from here…' }).fill('Other')
  await page.keyboard.press('Enter')

  const main = page.getByRole('main')
  await expect
    .poll(() => main.locator('article[data-role=user] [data-text]').allTextContents())
    .toEqual(['One', 'Other'])
  await expect.poll(() => asked.at(-1)).toEqual(['One', 'Answer 1 begins. Answer 1 ends.', 'Other'])
  await main.getByRole('button', { name: 'Earlier version' }).click()
  await expect
    .poll(() => main.locator('article[data-role=user] [data-text]').allTextContents())
    .toEqual(['One', 'Two'])
})

test('while an answer is being written, going on is refused with a reason', async () => {
  const { agent, letEnd } = numberedAgent()
  letEnd(1)
  await using opened = await openConsole(chromium, { agents: [agent] })
  const { page, server } = opened
  await page.goto(server.url)
  await send(page, 'One')
  await untilShown(page, ['user: One', whole(1)])
  await send(page, 'Two')
  await untilShown(page, ['user: One', whole(1), 'user: Two', half(2)])
  await page.keyboard.press('Alt+i')
  await inspector(page).getByRole('tab', { name: 'Replay' }).click()
  await inspector(page).getByRole('textbox', { name: 'Go on from here…' }).fill('Other')
  await page.keyboard.press('Enter')
  await inspector(page).getByRole('alert').waitFor()
  expect(await inspector(page).getByRole('textbox', { name: 'Go on from here…' }).inputValue()).toBe('Other')
})
