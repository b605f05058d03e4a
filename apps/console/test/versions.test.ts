import type { TestBrowser } from '@throughline/testing/browser/browser'
import { sharedBrowser } from '@throughline/testing/browser/shared-browser'
import type { Locator } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { half, numberedAgent, whole } from './numbered-agent.ts'
import { answers, openConsole, send, untilShown } from './open-console.ts'
import { openMidAnswer } from './open-mid-answer.ts'
import { framesOf, recordFrames, vanished } from './watch-frames.ts'

let chromium: TestBrowser

beforeAll(async () => {
  chromium = await sharedBrowser()
})
afterAll(() => chromium[Symbol.asyncDispose]())

const questions = (page: { locator(selector: string): Locator }) => page.locator('article[data-role=user]')
const press = (where: Locator, name: string) => where.getByRole('button', { name, exact: true }).click()

test('another answer keeps the earlier one: one click away while it is written, after it, and after a reload', async () => {
  const { agent, letEnd } = numberedAgent()
  await using opened = await openConsole(chromium, { agents: [agent] })
  const { page, server } = opened
  await page.goto(server.url)
  await recordFrames(page)
  letEnd(1)
  await send(page, 'Question')
  await press(answers(page), 'Regenerate')

  await untilShown(page, ['user: Question', half(2)])
  await press(answers(page), 'Earlier version')
  await untilShown(page, ['user: Question', whole(1)])
  letEnd(2)
  await answers(page).getByRole('button', { name: 'Regenerate' }).waitFor()
  await untilShown(page, ['user: Question', whole(1)])
  await press(answers(page), 'Later version')
  await untilShown(page, ['user: Question', whole(2)])
  expect(vanished(await framesOf(page))).toEqual([])

  await page.reload()
  await untilShown(page, ['user: Question', whole(2)])
  await press(answers(page), 'Earlier version')
  await untilShown(page, ['user: Question', whole(1)])
  expect(await answers(page).getByRole('group').getAttribute('aria-label')).toBe('Version 1 of 2')
})

test('an edited message begins a branch; the old one stays as it was, and goes on by itself', async () => {
  const { agent, asked, letEnd } = numberedAgent()
  for (const answer of [1, 2, 3, 4]) letEnd(answer)
  await using opened = await openConsole(chromium, { agents: [agent] })
  const { page, server } = opened
  await page.goto(server.url)
  await send(page, 'One')
  await untilShown(page, ['user: One', whole(1)])
  await send(page, 'Two')
  const before = ['user: One', whole(1), 'user: Two', whole(2)]
  await untilShown(page, before)

  await press(questions(page).first(), 'Edit')
  await page.getByRole('textbox', { name: 'Edit the message' }).fill('Another one')
  await press(questions(page).first(), 'Send')
  const branch = ['user: Another one', whole(3)]
  await untilShown(page, branch)
  await press(questions(page).first(), 'Earlier version')
  await untilShown(page, before)

  await send(page, 'Three')
  await untilShown(page, [...before, 'user: Three', whole(4)])
  expect(asked.at(-1)).toEqual([...before, 'user: Three'].map(text => text.replace(/^\w+: /, '')))
  await press(questions(page).first(), 'Later version')
  await untilShown(page, branch)
  // The newest message says which branch a new visitor sees.
  await page.reload()
  await untilShown(page, [...before, 'user: Three', whole(4)])
})

test('all of it works by keyboard: edit, cancel, new line, send, and the switch keeps the focus', async () => {
  const { agent, letEnd } = numberedAgent()
  for (const answer of [1, 2]) letEnd(answer)
  await using opened = await openConsole(chromium, { agents: [agent] })
  const { page, server } = opened
  const { keyboard } = page
  await page.goto(server.url)
  await send(page, 'One')
  await untilShown(page, ['user: One', whole(1)])
  const edit = questions(page).getByRole('button', { name: 'Edit' })
  await edit.focus()
  await keyboard.press('Enter')
  await keyboard.type(' thing')
  await keyboard.press('Escape')
  await untilShown(page, ['user: One', whole(1)])
  expect(await edit.evaluate(button => button === document.activeElement)).toBe(true)

  await keyboard.press('Enter')
  await keyboard.type(' more')
  await keyboard.press('Shift+Enter')
  await keyboard.type('thing')
  await keyboard.press('Enter')
  await untilShown(page, ['user: One more\nthing', whole(2)])

  await questions(page).getByRole('button', { name: 'Earlier version' }).focus()
  await keyboard.press('Enter')
  await untilShown(page, ['user: One', whole(1)])
  await keyboard.press('Tab')
  await keyboard.press('Enter')
  await untilShown(page, ['user: One more\nthing', whole(2)])
})

test('Enter that ends the choice of a character sends nothing, in either field', async () => {
  const { agent, letEnd } = numberedAgent()
  letEnd(1)
  await using opened = await openConsole(chromium, { agents: [agent], browserContext: { locale: 'zh-CN' } })
  const { page, server } = opened
  await page.goto(server.url)
  const choose = (field: Locator) =>
    field.dispatchEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true, cancelable: true })
  const composer = page.getByRole('textbox', { name: '输入消息…' })
  await composer.fill('你好')
  await choose(composer)
  expect(await composer.inputValue()).toBe('你好')
  await page.keyboard.press('Enter')
  await untilShown(page, ['user: 你好', whole(1)])

  await press(questions(page), '编辑')
  const editor = page.getByRole('textbox', { name: '编辑消息' })
  await editor.fill('你好吗')
  await choose(editor)
  expect(await editor.inputValue()).toBe('你好吗')
  await page.keyboard.press('Escape')
  await untilShown(page, ['user: 你好', whole(1)])
})

test('an answer can be copied as it was written', async () => {
  const { agent, letEnd } = numberedAgent()
  letEnd(1)
  await using opened = await openConsole(chromium, {
    agents: [agent],
    browserContext: { permissions: ['clipboard-read', 'clipboard-write'] },
  })
  const { page, server } = opened
  await page.goto(server.url)
  await send(page, 'Question')
  await press(answers(page), 'Copy')
  await answers(page).getByRole('button', { name: 'Copied' }).waitFor()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('Answer 1 begins. Answer 1 ends.')
})

test('while an answer is being written, nothing can be edited or answered anew', async () => {
  await using opened = await openMidAnswer(chromium)
  const { letEnd, page } = opened
  expect(await page.locator('article').getByRole('button').count()).toBe(0)
  letEnd(1)
  await answers(page).getByRole('button', { name: 'Regenerate' }).waitFor()
  await questions(page).getByRole('button', { name: 'Edit' }).waitFor()
})
