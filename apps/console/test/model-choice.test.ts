import { type Agent, MasterAgent } from '@throughline/agents'
import { agentSystem } from '@throughline/server'
import { finish, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import { saying, scriptedModel } from '@throughline/testing/agent/scripted-model'
import type { TestBrowser } from '@throughline/testing/browser/browser'
import { sharedBrowser } from '@throughline/testing/browser/shared-browser'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { axeProblems } from './axe-problems.ts'
import { openConsole, send } from './open-console.ts'

let chromium: TestBrowser

beforeAll(async () => {
  chromium = await sharedBrowser()
})
afterAll(() => chromium[Symbol.asyncDispose]())

/** A model that says which one it is. */
const naming = (name: string) => scriptedModel({ assistant: [[saying(`I am ${name}.`)]] }, name)
const assistant = new MasterAgent({ instructions: 'You are assistant.', model: naming('small') })
const system = agentSystem({ models: [naming('large')] })
const coded: Agent = { ...scriptedAgent('coded', [say('My own code.'), finish]), displayName: 'Coded' }

const models = (page: Page) => page.getByRole('combobox', { name: 'Which model should answer?' })
const lastAnswer = (page: Page) => page.locator('article[data-role=assistant]').last()
const says = (page: Page, text: string) =>
  expect.poll(() => lastAnswer(page).locator('.prose').textContent()).toBe(text)

test('the answer comes from the chosen model, and the chat keeps it after a reload and in another tab', async () => {
  await using opened = await openConsole(chromium, { agents: [assistant], system })
  const { page, server } = opened
  await page.goto(server.url)
  expect(await models(page).inputValue()).toBe('test:small')
  await models(page).selectOption('test:large')
  await send(page, 'Hello')
  await says(page, 'I am large.')
  await page.reload()
  await says(page, 'I am large.')
  await expect.poll(() => models(page).inputValue()).toBe('test:large')
  await send(page, 'And now?')
  await expect.poll(() => page.locator('article[data-status=finished]').count()).toBe(2)
  await says(page, 'I am large.')
  // Not remembered by this browser, but by the chat.
  await page.evaluate(() => localStorage.clear())
  const other = await opened.newTab()
  await other.goto(page.url())
  await expect.poll(() => models(other).inputValue()).toBe('test:large')
})

test('another answer comes from the model that is chosen then, and a new chat begins with it', async () => {
  await using opened = await openConsole(chromium, { agents: [assistant], system })
  const { page, server } = opened
  await page.goto(server.url)
  await send(page, 'Hello')
  await says(page, 'I am small.')
  await models(page).selectOption('test:large')
  await lastAnswer(page).getByRole('button', { name: 'Regenerate' }).click()
  await page.getByRole('group', { name: 'Version 2 of 2' }).waitFor()
  await says(page, 'I am large.')
  await page.getByRole('button', { name: 'New chat' }).click()
  await expect.poll(() => models(page).inputValue()).toBe('test:large')
  await models(page).selectOption('test:small')
  await send(page, 'Hello')
  await says(page, 'I am small.')
})

test('the choice works with the keyboard, has a name in Chinese, and axe finds nothing', async () => {
  await using opened = await openConsole(chromium, {
    agents: [assistant],
    system,
    browserContext: { locale: 'zh-CN' },
  })
  const { page, server } = opened
  await page.goto(server.url)
  const menu = page.getByRole('combobox', { name: '用哪个模型回答？' })
  await menu.focus()
  await page.keyboard.press('ArrowDown')
  expect(await menu.inputValue()).toBe('test:large')
  expect(await axeProblems(page)).toEqual([])
})

test('without other models, and for an agent with code of its own, there is nothing to choose', async () => {
  await using plain = await openConsole(chromium, { agents: [assistant] })
  await plain.page.goto(plain.server.url)
  await plain.page.getByText('test:small').waitFor()
  expect(await plain.page.getByRole('combobox').count()).toBe(0)
  await using opened = await openConsole(chromium, { agents: [coded, assistant], system })
  const { page, server } = opened
  await page.goto(server.url)
  await page.getByRole('radio', { name: 'Coded' }).waitFor()
  expect(await models(page).count()).toBe(0)
  await page.getByRole('radio', { name: 'Assistant' }).check()
  await models(page).waitFor()
})
