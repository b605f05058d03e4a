import { MasterAgent } from '@throughline/agents'
import { agentSystem } from '@throughline/server'
import { saying, scriptedModel } from '@throughline/testing/agent/scripted-model'
import type { TestBrowser } from '@throughline/testing/browser/browser'
import { sharedBrowser } from '@throughline/testing/browser/shared-browser'
import { sendJson } from '@throughline/testing/http/chat-requests'
import { ownerIdOf } from '@throughline/testing/server/test-server'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openConsole } from '../open-console.ts'

const token = 'the-token-of-alice'
const headers = { authorization: `Bearer ${token}` }
let chromium: TestBrowser

beforeAll(async () => {
  chromium = await sharedBrowser()
})
afterAll(() => chromium[Symbol.asyncDispose]())

test('what was written into the form of an agent is still there after a person had to sign in again', async () => {
  await using opened = await openForAlice()
  const { page, server, tokens } = opened
  await page.goto(`${server.url}/agents/~new`)
  await signIn(page)
  await page.getByLabel('Name', { exact: true }).fill('writer')
  await prompt(page).fill('You write poems.')
  tokens.delete(token)
  await page.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('heading', { name: 'The token is not valid any more' }).waitFor()
  tokens.set(token, ownerIdOf('alice'))
  await signIn(page)
  await page.getByRole('button', { name: 'Create' }).waitFor()
  expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('writer')
  expect(await prompt(page).inputValue()).toBe('You write poems.')
  await page.getByRole('button', { name: 'Create' }).click()
  await page.waitForURL('**/agents/writer')
  // It is kept no longer than it is needed.
  await page.goto(`${server.url}/agents/~new`)
  await page.getByRole('button', { name: 'Create' }).waitFor()
  expect(await prompt(page).inputValue()).toBe('')
})

test('a form that was kept does not overwrite what somebody else has changed meanwhile', async () => {
  await using opened = await openForAlice()
  const { page, server, tokens } = opened
  const put = (body: unknown) => sendJson(`${server.url}/api/agents/writer`, body, { method: 'PUT', headers })
  await put({ systemPrompt: 'You are writer.' })
  await page.goto(`${server.url}/agents/writer`)
  await signIn(page)
  await prompt(page).fill('You are writer. Mine.')
  tokens.delete(token)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('heading', { name: 'The token is not valid any more' }).waitFor()
  tokens.set(token, ownerIdOf('alice'))
  await put({ systemPrompt: 'You are writer. Theirs.', version: 1 })
  await signIn(page)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Somebody has changed this agent in the meantime.').waitFor()
  expect(await prompt(page).inputValue()).toBe('You are writer. Mine.')
})

test('a person who signs out leaves nothing of their form behind', async () => {
  await using opened = await openForAlice()
  const { page, server } = opened
  await page.goto(`${server.url}/agents/~new`)
  await signIn(page)
  await prompt(page).fill('You write poems.')
  const other = await opened.newTab()
  await other.goto(`${server.url}/settings`)
  await other.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'You have signed out' }).waitFor()
  await signIn(page)
  await page.getByRole('button', { name: 'Create' }).waitFor()
  expect(await prompt(page).inputValue()).toBe('')
})

const prompt = (page: Page) => page.getByLabel('System prompt')

async function openForAlice() {
  // Without any tokens, everybody would be the same person.
  const tokens = new Map([
    [token, ownerIdOf('alice')],
    ['the-token-of-bob', ownerIdOf('bob')],
  ])
  const model = scriptedModel({ assistant: [[saying('The assistant answers.')]] })
  const agents = [new MasterAgent({ model, instructions: 'You are assistant.' })]
  const opened = await openConsole(chromium, {
    tokens: () => new Map(tokens),
    agents,
    system: agentSystem({}),
  })
  return { ...opened, tokens, [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() }
}

async function signIn(page: Page): Promise<void> {
  await page.getByLabel('Token').fill(token)
  await page.getByRole('button', { name: 'Sign in' }).click()
}
