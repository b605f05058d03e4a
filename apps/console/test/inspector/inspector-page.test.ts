import type { TestBrowser } from '@throughline/testing/browser/browser'
import { sharedBrowser } from '@throughline/testing/browser/shared-browser'
import { readLog } from '@throughline/testing/http/read-log'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { numberedAgent } from '../numbered-agent.ts'
import { answers, openConsole, send } from '../open-console.ts'
import { openMidAnswer } from '../open-mid-answer.ts'
import { demoInstallation } from './demo-installation.ts'

let chromium: TestBrowser
beforeAll(async () => {
  chromium = await sharedBrowser()
})
afterAll(() => chromium[Symbol.asyncDispose]())

const inspector = (page: Page) => page.getByRole('complementary', { name: 'Inspector' })
// The options of the selects are options too.
const rows = (page: Page) => inspector(page).locator('[role=option]')
const chosen = (page: Page) => inspector(page).locator('[role=option][aria-selected=true]')
const chatIdOf = (page: Page) => new URL(page.url()).pathname.replace('/chats/', '')

test('the log of an answer has every entry, can be filtered, and shows one entry as JSON', async () => {
  await using opened = await openConsole(chromium, demoInstallation())
  const { page, server } = opened
  await page.goto(server.url)
  await send(page, 'Delegate the weather in Lisbon')
  await answers(page).getByRole('button', { name: 'Inspect' }).click()
  const log = await readLog(server.url, chatIdOf(page))
  await inspector(page).getByText(`${log.length} of ${log.length} entries`).waitFor()

  await inspector(page).getByRole('combobox', { name: 'Type' }).selectOption('finish')
  const ends = log.filter(({ chunk }) => chunk.type === 'finish')
  await expect.poll(() => rows(page).count()).toBe(ends.length)
  await inspector(page).getByRole('combobox', { name: 'Agent' }).selectOption({ label: 'Checker' })
  await expect.poll(() => rows(page).count()).toBe(1)
  await rows(page).click()
  const shown = await inspector(page).locator('pre').textContent()
  expect(log).toContainEqual(JSON.parse(shown ?? ''))

  await inspector(page).getByRole('combobox', { name: 'Type' }).selectOption('')
  await inspector(page).getByRole('combobox', { name: 'Agent' }).selectOption('')
  const question = log[0]?.messageId ?? ''
  await inspector(page).getByRole('combobox', { name: 'Message' }).selectOption(question)
  await expect.poll(() => rows(page).count()).toBe(1)
})

test('a chat with several answers shows the one that was asked for, or all of them', async () => {
  const { agent, letEnd } = numberedAgent()
  for (const answer of [1, 2]) letEnd(answer)
  await using opened = await openConsole(chromium, { agents: [agent] })
  const { page, server } = opened
  await page.goto(server.url)
  await send(page, 'One')
  await answers(page).getByRole('button', { name: 'Inspect' }).waitFor()
  await send(page, 'Two')
  await answers(page).nth(1).getByRole('button', { name: 'Inspect' }).click()
  const log = await readLog(server.url, chatIdOf(page))
  const runId = log.at(-1)?.runId
  const own = log.filter(entry => entry.runId === runId)
  await inspector(page).getByText(`${own.length} of ${own.length} entries`).waitFor()
  await inspector(page).getByRole('combobox', { name: 'What to look at' }).selectOption('The whole chat')
  await inspector(page).getByText(`${log.length} of ${log.length} entries`).waitFor()
})

test('it opens and closes by keyboard, gives the focus back, grows with the log, and stays open after a reload', async () => {
  await using opened = await openMidAnswer(chromium)
  const { letEnd, page } = opened
  await page.keyboard.press('Alt+i')
  await rows(page).first().waitFor()
  const before = await rows(page).count()
  letEnd(1)
  await inspector(page).locator('[data-type=finish]').waitFor()
  expect(await rows(page).count()).toBeGreaterThan(before)

  await inspector(page).getByRole('listbox').focus()
  await page.keyboard.press('End')
  await expect.poll(() => chosen(page).getAttribute('data-type')).toBe('finish')
  await page.keyboard.press('Home')
  await page.keyboard.press('ArrowDown')
  await expect.poll(() => chosen(page).getAttribute('data-seq')).toBe('2')

  await page.reload()
  await rows(page).first().waitFor()
  await page.keyboard.press('Escape')
  await inspector(page).waitFor({ state: 'detached' })

  const button = answers(page).getByRole('button', { name: 'Inspect' })
  await button.focus()
  await page.keyboard.press('Enter')
  await inspector(page).waitFor()
  await page.keyboard.press('Escape')
  await inspector(page).waitFor({ state: 'detached' })
  expect(await button.evaluate(element => element === document.activeElement)).toBe(true)
})

test('opened in a new chat, it shows the log as soon as there is one', async () => {
  const { agent, letEnd } = numberedAgent()
  letEnd(1)
  await using opened = await openConsole(chromium, { agents: [agent] })
  const { page, server } = opened
  await page.goto(server.url)
  await page.getByRole('textbox').focus()
  await page.keyboard.press('Alt+i')
  await inspector(page).getByText('This chat has no log yet.').waitFor()
  await send(page, 'Question')
  await inspector(page).locator('[data-type=finish]').waitFor()
  await inspector(page).getByText('This chat has no log yet.').waitFor({ state: 'detached' })
})

test('Escape in a message that is being edited does not close the inspector', async () => {
  const { agent, letEnd } = numberedAgent()
  letEnd(1)
  await using opened = await openConsole(chromium, { agents: [agent] })
  const { page, server } = opened
  await page.goto(server.url)
  await send(page, 'Question')
  await answers(page).getByRole('button', { name: 'Inspect' }).click()
  await inspector(page).waitFor()
  await page.locator('article[data-role=user]').getByRole('button', { name: 'Edit' }).click()
  await page.keyboard.press('Escape')
  await page.getByRole('textbox', { name: 'Edit the message' }).waitFor({ state: 'detached' })
  expect(await inspector(page).count()).toBe(1)
})

test('the script of the inspector is loaded only when it is opened', async () => {
  const { agent, letEnd } = numberedAgent()
  letEnd(1)
  await using opened = await openConsole(chromium, { agents: [agent] })
  const { page, server } = opened
  const scripts: string[] = []
  page.on('request', request => {
    const { pathname } = new URL(request.url())
    if (pathname.endsWith('.js')) scripts.push(pathname)
  })
  await page.goto(server.url)
  await send(page, 'Question')
  await answers(page).getByRole('button', { name: 'Inspect' }).waitFor()
  expect(scripts.filter(name => name.includes('inspector'))).toEqual([])
  await page.keyboard.press('Alt+i')
  await inspector(page).waitFor()
  expect(scripts.filter(name => name.includes('inspector'))).toHaveLength(1)
})

test('on a phone it fills the screen, and the chat below it is out of reach', async () => {
  const { agent, letEnd } = numberedAgent()
  letEnd(1)
  await using opened = await openConsole(chromium, {
    agents: [agent],
    browserContext: { viewport: { width: 390, height: 760 }, hasTouch: true, locale: 'zh-CN' },
  })
  const { page, server } = opened
  await page.goto(server.url)
  await page.getByRole('textbox').fill('你好')
  await page.getByRole('button', { name: '发送' }).tap()
  await answers(page).getByRole('button', { name: '检查' }).tap()
  const panel = page.getByRole('complementary', { name: '检查器' })
  await panel.locator('[role=option]').first().waitFor()
  expect(await panel.boundingBox()).toMatchObject({ x: 0, y: 0, width: 390, height: 760 })
  expect(await page.getByRole('textbox').count()).toBe(0)
  await panel.getByRole('button', { name: '关闭检查器' }).tap()
  await panel.waitFor({ state: 'detached' })
  expect(await page.getByRole('textbox').count()).toBe(1)
})
