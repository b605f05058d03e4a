import { textOf } from '@throughline/protocol'
import type { TestBrowser } from '@throughline/testing/browser/browser'
import { sharedBrowser } from '@throughline/testing/browser/shared-browser'
import { readLog, replay } from '@throughline/testing/http/read-log'
import { longLog, longLogChat } from '@throughline/testing/log/long-log'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { answers, openConsole, send } from '../open-console.ts'
import { demoInstallation } from './demo-installation.ts'

let chromium: TestBrowser
beforeAll(async () => {
  chromium = await sharedBrowser()
})
afterAll(() => chromium[Symbol.asyncDispose]())

const inspector = (page: Page) => page.getByRole('complementary', { name: 'Inspector' })
const slider = (page: Page) => inspector(page).getByRole('slider', { name: 'Position' })
const showReplay = async (page: Page) => {
  await page.keyboard.press('Alt+i')
  await inspector(page).getByRole('tab', { name: 'Replay' }).click()
  await slider(page).waitFor()
}
/** Returns the texts of the replayed messages, without those of sub-agents. */
const replayed = (page: Page) =>
  inspector(page)
    .locator('article')
    .evaluateAll(all =>
      all.map(each =>
        [...each.querySelectorAll('.prose, [data-text]')].map(text => text.textContent).join(''),
      ),
    )
/** Texts as they are drawn: without the marks of Markdown and without space at their ends. */
const plain = (text: string) => text.replaceAll(/[-`*\s]/g, '')

test('the slider shows the messages as they were at each position, through the same fold', async () => {
  await using opened = await openConsole(chromium, demoInstallation())
  const { page, server } = opened
  await page.goto(server.url)
  await send(page, 'What is the weather in Lisbon?')
  await answers(page).getByRole('button', { name: 'Inspect' }).waitFor()
  const log = await readLog(server.url, new URL(page.url()).pathname.replace('/chats/', ''))
  await showReplay(page)
  await expect.poll(() => slider(page).inputValue()).toBe(String(log.length - 1))

  for (const position of [1, Math.floor(log.length / 2), log.length - 4, 3, log.length]) {
    await slider(page).fill(String(position - 1))
    await inspector(page).locator(`[data-replay="${position}"]`).waitFor()
    const expected = replay(log.slice(0, position)).map(message => plain(textOf(message)))
    await expect.poll(async () => (await replayed(page)).map(plain)).toEqual(expected)
  }
  expect(await inspector(page).locator('article').getByRole('button', { name: 'Regenerate' }).count()).toBe(0)
})

test('a replay can be played to its end, and played again', async () => {
  await using opened = await openConsole(chromium, demoInstallation())
  const { page, server } = opened
  await page.goto(server.url)
  await send(page, 'Hello')
  await answers(page).getByRole('button', { name: 'Inspect' }).waitFor()
  await showReplay(page)
  const last = await slider(page).getAttribute('max')
  await inspector(page).getByRole('combobox', { name: 'Speed' }).selectOption('20×')
  for (const _ of [1, 2]) {
    await slider(page).fill('0')
    await inspector(page).locator('[data-replay="1"]').waitFor()
    await inspector(page).getByRole('button', { name: 'Play' }).click()
    await expect.poll(() => slider(page).inputValue()).toBe(last)
    await inspector(page).getByRole('button', { name: 'Play' }).waitFor()
  }
})

test('in a log of 20,000 entries, any position can be shown, and the list draws only the lines in sight', async () => {
  await using opened = await openConsole(chromium, {})
  const { page, server } = opened
  const log = await longLog(server, 20_000)
  await page.goto(`${server.url}/chats/${longLogChat}`)
  await page.getByRole('textbox').focus()
  await page.keyboard.press('Alt+i')
  await inspector(page).getByText('20,000 of 20,000 entries').waitFor()
  expect(await inspector(page).locator('[role=option]').count()).toBeLessThan(100)
  await inspector(page).getByRole('listbox').focus()
  await page.keyboard.press('End')
  await inspector(page).locator('[role=option][data-seq="20000"]').waitFor()
  expect(await inspector(page).locator('[role=option]').count()).toBeLessThan(100)

  await inspector(page).getByRole('tab', { name: 'Replay' }).click()
  for (const position of [19_990, 17, 9_999, 15_001, 128]) {
    await slider(page).fill(String(position - 1))
    await inspector(page).locator(`[data-replay="${position}"]`).waitFor()
    const [expected = ''] = replay(log.slice(0, position))
      .slice(-1)
      .map(message => plain(textOf(message)))
    await expect.poll(async () => plain((await replayed(page)).at(-1) ?? '')).toBe(expected)
  }
})
