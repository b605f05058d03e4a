import type { TestBrowser } from '@throughline/testing/browser/browser'
import { sharedBrowser } from '@throughline/testing/browser/shared-browser'
import { submit } from '@throughline/testing/http/chat-requests'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { numberedAgent, whole } from './numbered-agent.ts'
import { answers, openConsole, send, untilShown } from './open-console.ts'

let chromium: TestBrowser

beforeAll(async () => {
  chromium = await sharedBrowser()
})
afterAll(() => chromium[Symbol.asyncDispose]())

const questions = (page: Page) => page.locator('article[data-role=user]')

/** Presses a button that asks for confirmation, and confirms or declines. Returns the question. */
async function pressAndSay(page: Page, button: Locator, isMeant: boolean): Promise<string> {
  const asked = page.waitForEvent('dialog')
  const pressed = button.click()
  const dialog = await asked
  await (isMeant ? dialog.accept() : dialog.dismiss())
  await pressed
  return dialog.message()
}

test('a message and an answer can be deleted, on every tab, when the person says so', async () => {
  const { agent, letEnd } = numberedAgent()
  for (const answer of [1, 2]) letEnd(answer)
  await using opened = await openConsole(chromium, { agents: [agent] })
  const { page, server } = opened
  await page.goto(server.url)
  await send(page, 'One')
  await untilShown(page, ['user: One', whole(1)])
  await send(page, 'Two')
  await untilShown(page, ['user: One', whole(1), 'user: Two', whole(2)])
  const other = await opened.newTab()
  await other.goto(page.url())
  await untilShown(other, ['user: One', whole(1), 'user: Two', whole(2)])

  const remove = (where: Locator) => where.getByRole('button', { name: 'Delete', exact: true })
  expect(await pressAndSay(page, remove(questions(page).first()), false)).toContain(
    'this message and its answers',
  )
  await untilShown(page, ['user: One', whole(1), 'user: Two', whole(2)])
  await pressAndSay(page, remove(questions(page).first()), true)
  for (const tab of [page, other]) await untilShown(tab, ['user: Two', whole(2)])
  expect(await pressAndSay(other, remove(answers(other)), true)).toContain('this answer')
  for (const tab of [page, other]) await untilShown(tab, ['user: Two'])
  await page.reload()
  await untilShown(page, ['user: Two'])
})

test('in Chinese, too', async () => {
  const { agent, letEnd } = numberedAgent()
  letEnd(1)
  await using opened = await openConsole(chromium, { agents: [agent], browserContext: { locale: 'zh-CN' } })
  const { page, server } = opened
  await page.goto(server.url)
  await page.getByRole('textbox', { name: '输入消息…' }).fill('你好')
  await page.keyboard.press('Enter')
  await untilShown(page, ['user: 你好', whole(1)])
  const button = questions(page).getByRole('button', { name: '删除', exact: true })
  expect(await pressAndSay(page, button, true)).toBe('删除这条消息及其回答？此操作无法撤销。')
  await untilShown(page, [])
})

test('a message to a person waits without a sign of an agent, and the person can answer here', async () => {
  await using opened = await openConsole(chromium, {})
  const { page, server } = opened
  await submit(server.url, { chatId: 'trip', text: 'Are you there?', fields: { agent: 'user::Ann' } })
  await page.goto(server.url)
  await page.getByRole('button', { name: 'Are you there?', exact: true }).click()
  await untilShown(page, ['user: Are you there?'])
  expect(await questions(page).locator('[data-receiver]').textContent()).toBe(' to Ann')
  expect(await page.locator('article[data-role=thinking]').count()).toBe(0)

  // The edited message is still for her.
  await questions(page).getByRole('button', { name: 'Edit' }).click()
  await page.getByRole('textbox', { name: 'Edit the message' }).fill('Ann, are you there?')
  await page.keyboard.press('Enter')
  await untilShown(page, ['user: Ann, are you there?'])
  await page.getByRole('button', { name: 'Answer as Ann' }).click()
  await page.getByText('You answer as Ann.').waitFor()
  await page.getByRole('textbox', { name: 'Reply to the person…' }).fill('Yes, here.')
  await page.keyboard.press('Enter')
  await untilShown(page, ['user: Ann, are you there?', 'assistant: Yes, here.'])
  expect(await answers(page).getAttribute('data-person')).toBe('')
  expect(await answers(page).locator('[data-sender]').textContent()).toBe('Ann')
  expect(await answers(page).getByRole('button', { name: 'Regenerate' }).count()).toBe(0)
})
