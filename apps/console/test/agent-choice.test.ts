import type { Agent } from '@throughline/agents'
import { finish, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import type { TestBrowser } from '@throughline/testing/browser/browser'
import { sharedBrowser } from '@throughline/testing/browser/shared-browser'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openConsole, send } from './open-console.ts'

let chromium: TestBrowser

beforeAll(async () => {
  chromium = await sharedBrowser()
})
afterAll(() => chromium[Symbol.asyncDispose]())

const agents: readonly Agent[] = [
  answering('assistant', { description: 'Knows a little of everything.', examples: ['Tell me a joke'] }),
  answering('support', { description: 'Knows where every order is.', examples: ['Where is my order?'] }),
]

/** An agent that says who it is, and how many messages it was given. */
function answering(name: string, more: Partial<Agent>): Agent {
  const script = scriptedAgent(name, ({ messages }) => [say(`${name} read ${messages.length}.`), finish])
  return { ...script, ...more }
}

const choice = (page: Page, name: string) => page.getByRole('radio', { name })
const finished = (page: Page, count: number) =>
  expect.poll(() => page.locator('article[data-status=finished]').count()).toBe(count)
const lastAnswer = (page: Page) => page.locator('article[data-role=assistant]').last()

test('in a new chat the person chooses who answers, by name and description', async () => {
  await using opened = await openConsole(chromium, { agents })
  const { page, server } = opened
  await page.goto(server.url)
  const group = page.getByRole('group', { name: 'Who should answer?' })
  expect(await group.textContent()).toContain('Knows where every order is.')
  expect(await choice(page, 'The assistant').isChecked()).toBe(true)
  await page.getByRole('button', { name: 'Tell me a joke' }).waitFor()
  await choice(page, 'The support').check()
  // The examples are those of the chosen agent, and an example goes to it.
  await page.getByRole('button', { name: 'Where is my order?' }).click()
  await finished(page, 1)
  expect(await lastAnswer(page).locator('.prose').textContent()).toBe('support read 1.')
  expect(await lastAnswer(page).locator('[data-sender]').textContent()).toBe('The support')
  expect(await group.count()).toBe(0)
})

test('a chat keeps its agent after a reload and in another tab, and a new chat begins with the default one', async () => {
  await using opened = await openConsole(chromium, { agents })
  const { page, server } = opened
  await page.goto(server.url)
  await choice(page, 'The support').check()
  await send(page, 'Hello')
  await finished(page, 1)
  await page.reload()
  await finished(page, 1)
  await send(page, 'And now?')
  await finished(page, 2)
  expect(await lastAnswer(page).locator('.prose').textContent()).toBe('support read 3.')
  const other = await opened.newTab()
  await other.goto(page.url())
  await finished(other, 2)
  await send(other, 'And here?')
  await finished(other, 3)
  expect(await lastAnswer(other).locator('.prose').textContent()).toBe('support read 5.')
  await page.getByRole('button', { name: 'New chat' }).click()
  expect(await choice(page, 'The assistant').isChecked()).toBe(true)
})

test('a chat keeps its agent also while the list of agents cannot be loaded', async () => {
  await using opened = await openConsole(chromium, { agents })
  const { page, server } = opened
  await page.goto(server.url)
  await choice(page, 'The support').check()
  await send(page, 'Hello')
  await finished(page, 1)
  await page.route('**/api/agents', route => route.abort())
  await page.reload()
  await finished(page, 1)
  await send(page, 'And now?')
  await finished(page, 2)
  expect(await lastAnswer(page).locator('.prose').textContent()).toBe('support read 3.')
})

test('another answer, and the answer to an edited message, come from the agent of the chat', async () => {
  await using opened = await openConsole(chromium, { agents })
  const { page, server } = opened
  await page.goto(server.url)
  await choice(page, 'The support').check()
  await send(page, 'Hello')
  await finished(page, 1)
  await lastAnswer(page).getByRole('button', { name: 'Regenerate' }).click()
  await page.getByRole('group', { name: 'Version 2 of 2' }).waitFor()
  await finished(page, 1)
  expect(await lastAnswer(page).locator('[data-sender]').textContent()).toBe('The support')
  const question = page.locator('article[data-role=user]')
  await question.hover()
  await question.getByRole('button', { name: 'Edit' }).click()
  await page.getByRole('textbox', { name: 'Edit the message' }).fill('Hello again')
  await page.getByRole('textbox', { name: 'Edit the message' }).press('Enter')
  await question.getByText('Hello again').waitFor()
  await finished(page, 1)
  expect(await lastAnswer(page).locator('[data-sender]').textContent()).toBe('The support')
})

test('the choice is made with the keyboard, and is asked for in Chinese', async () => {
  await using opened = await openConsole(chromium, { agents, browserContext: { locale: 'zh-CN' } })
  const { page, server } = opened
  await page.goto(server.url)
  await page.getByRole('group', { name: '由谁来回答？' }).waitFor()
  await choice(page, 'The assistant').focus()
  await page.keyboard.press('ArrowDown')
  expect(await choice(page, 'The support').isChecked()).toBe(true)
})

test('with one agent there is nothing to choose', async () => {
  await using opened = await openConsole(chromium, { agents: agents.slice(0, 1) })
  const { page, server } = opened
  await page.goto(server.url)
  await page.getByRole('button', { name: 'Tell me a joke' }).waitFor()
  expect(await page.getByRole('radio').count()).toBe(0)
})
