import { MasterAgent, toolFactory } from '@throughline/agents'
import { calculatorTool, subAgentTool } from '@throughline/agents/testing'
import { agentSystem } from '@throughline/server'
import { saying, scriptedModel } from '@throughline/testing/agent/scripted-model'
import type { TestBrowser } from '@throughline/testing/browser/browser'
import { sharedBrowser } from '@throughline/testing/browser/shared-browser'
import { sendJson } from '@throughline/testing/http/chat-requests'
import { subAgent } from '@throughline/testing/server/delegating-server'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { answers, type Console, openConsole, send } from '../open-console.ts'

let chromium: TestBrowser
let opened: Console
let page: Page

beforeAll(async () => {
  chromium = await sharedBrowser()
})
afterAll(() => chromium[Symbol.asyncDispose]())

beforeEach(async () => {
  const model = scriptedModel({
    assistant: [[saying('The assistant answers.')]],
    writer: [[saying('A poem.')]],
  })
  const system = agentSystem({
    tools: [subAgentTool, toolFactory('calculator', calculatorTool)],
    subAgents: [subAgent('coder', { tools: ['calculator'], maxSteps: 5 })],
    defaultModel: model,
    limits: { maxDefinedOutputTokens: 500 },
  })
  const agents = [new MasterAgent({ model, instructions: 'You are assistant.' })]
  opened = await openConsole(chromium, { agents, system })
  page = opened.page
})
afterEach(() => opened[Symbol.asyncDispose]())

const writer = { displayName: 'The writer', description: 'Writes poems.', systemPrompt: 'You are writer.' }
const put = (name: string, body: unknown) =>
  sendJson(`${opened.server.url}/api/agents/${name}`, body, { method: 'PUT' })
const saved = async (name: string) => (await fetch(`${opened.server.url}/api/agents/${name}`)).json()
const show = (path: string) => page.goto(opened.server.url + path)
const prompt = () => page.getByLabel('System prompt')
const save = () => page.getByRole('button', { name: 'Save', exact: true })
const status = () => page.getByRole('main').getByRole('status')

test('a person makes an agent, sees its prompt filled in, and changes it', async () => {
  await show('/')
  await page.getByRole('link', { name: 'Agents' }).click()
  await page.getByRole('link', { name: 'New agent' }).click()
  await page.getByLabel('Name', { exact: true }).fill('writer')
  await page.getByLabel('Shown as').fill('The writer')
  await page.getByLabel('What it is for').fill('Writes poems.')
  await prompt().fill('You are writer. I mean ')
  await page.getByRole('button', { name: 'Insert agentName' }).click()
  await expect.poll(() => prompt().inputValue()).toBe('You are writer. I mean {{agentName}}')
  await expect
    .poll(() => page.locator('[data-preview]').textContent())
    .toBe('You are writer. I mean The writer')
  await page.getByRole('checkbox', { name: /^calculator/ }).check()
  await page.getByRole('checkbox', { name: /^The coder/ }).check()
  await page.getByLabel('Most steps').fill('4')
  await page.getByRole('radio', { name: 'A model of its own' }).check()
  const offered = page.getByRole('combobox', { name: 'Model', exact: true })
  expect(await offered.locator('option').allTextContents()).toEqual(['test:scripted'])
  await page.getByText('Parameters', { exact: true }).click()
  await page.getByLabel('temperature').fill('0.5')
  expect(await page.getByLabel('maxOutputTokens').getAttribute('max')).toBe('500')
  await page.getByRole('button', { name: 'Create' }).click()
  await page.waitForURL('**/agents/writer')
  await page.getByRole('heading', { name: 'The writer' }).waitFor()
  expect(await saved('writer')).toMatchObject({
    ...writer,
    systemPrompt: 'You are writer. I mean {{agentName}}',
    toolKeys: ['calculator'],
    allowedSubAgents: ['coder'],
    maxSteps: 4,
    model: { provider: 'test', modelId: 'scripted', params: { temperature: 0.5 } },
    version: 1,
  })
  await page.getByLabel('Switched on').uncheck()
  await save().click()
  await status().getByText('Saved').waitFor()
  expect(await saved('writer')).toMatchObject({ enabled: false, version: 2 })
})

test('all agents are listed and drawn, each with the way to those that it may ask', async () => {
  await put('writer', { ...writer, allowedSubAgents: ['coder', 'later'] })
  await put('painter', { systemPrompt: 'Paint.', enabled: false })
  await show('/agents')
  const yours = page.getByRole('region', { name: 'Yours' })
  await yours.getByText('Writes poems.').waitFor()
  expect(await yours.getByRole('link', { name: /The writer/ }).textContent()).toContain('1 problem')
  expect(await yours.getByRole('link', { name: /painter/ }).textContent()).toContain('off')
  const talk = page.getByRole('region', { name: 'You talk to these' })
  await talk.getByText('test:scripted').first().waitFor()
  const edges = () =>
    page.locator('[data-edge]').evaluateAll(all => all.map(each => each.getAttribute('data-edge')))
  await expect
    .poll(edges)
    .toEqual(expect.arrayContaining(['assistant writer', 'assistant painter', 'writer coder']))
  await page.locator('[data-graph]').getByRole('button', { name: 'The writer' }).click()
  await page.waitForURL('**/agents/writer')
  await page.getByText('There is no such agent yet.').waitFor()
})

test('an agent in code is shown, and cannot be changed; a copy of it can', async () => {
  await show('/agents/coder')
  await page.getByText('This agent is written in code.').waitFor()
  const facts = () => page.locator('dl').textContent()
  await expect.poll(facts).toContain('calculator')
  await expect.poll(facts).toContain('Most steps5')
  expect(await page.getByRole('textbox').count()).toBe(0)
  await page.getByRole('button', { name: 'Try it' }).click()
  await page.getByText('People cannot talk to this agent.').waitFor()
  await page.getByRole('button', { name: 'Copy' }).click()
  await expect.poll(() => page.getByLabel('Name', { exact: true }).inputValue()).toBe('coder-copy')
  await expect.poll(() => page.getByRole('checkbox', { name: /^calculator/ }).isChecked()).toBe(true)
})

test('what is wrong is said beside its field, in the language of the page', async () => {
  await put('writer', writer)
  await put('editor', { systemPrompt: 'Edit.', allowedSubAgents: ['writer'] })
  await page.addInitScript(() => localStorage.setItem('throughline.language', 'zh'))
  await show('/agents/~new')
  const create = page.getByRole('button', { name: '创建' })
  await create.click()
  await page.getByRole('alert').filter({ hasText: '此项必填。' }).first().waitFor()
  await page.getByLabel('名称', { exact: true }).fill('writer')
  await page.getByLabel('系统提示词').fill('{{nobody}}')
  await create.click()
  await page.getByText('已有同名的智能体，请换一个名称。').waitFor()
  await show('/agents/writer')
  await page.getByLabel('系统提示词').fill('{{nobody}}')
  await page.getByRole('checkbox', { name: /^editor/ }).check()
  await page.getByLabel('最多步数').fill('0')
  await page.getByRole('button', { name: '保存' }).click()
  await page.getByRole('alert').filter({ hasText: '取值范围：1 至 1000。' }).waitFor()
  await page.getByLabel('最多步数').fill('')
  await page.getByRole('button', { name: '保存' }).click()
  await page.getByRole('alert').filter({ hasText: '没有变量 {{nobody}}。' }).waitFor()
  await page.getByRole('alert').filter({ hasText: 'writer → editor → writer' }).waitFor()
  expect(await page.getByLabel('系统提示词').getAttribute('aria-invalid')).toBe('true')
  expect(await saved('writer')).toMatchObject({ version: 1 })
})

test('a change that somebody else has made meanwhile is not overwritten', async () => {
  await put('writer', writer)
  await show('/agents/writer')
  await prompt().fill('You are writer. Mine.')
  await put('writer', { ...writer, systemPrompt: 'You are writer. Theirs.', version: 1 })
  await save().click()
  await status().getByText('Somebody has changed this agent in the meantime.').waitFor()
  expect(await prompt().inputValue()).toBe('You are writer. Mine.')
  page.once('dialog', dialog => dialog.accept())
  await page.getByRole('button', { name: 'Show the newest version' }).click()
  await expect.poll(() => prompt().inputValue()).toBe('You are writer. Theirs.')
  await page.route('**/api/agents/writer', route => route.abort())
  await prompt().fill('You are writer. Again.')
  await save().click()
  await status().getByText('The server cannot be reached. It is not known whether this was saved.').waitFor()
})

test('leaving with changes that are not saved asks first, by a link and by the back button', async () => {
  await put('writer', writer)
  await show('/agents')
  await page.getByRole('link', { name: /The writer/ }).click()
  await prompt().fill('Changed.')
  const questions: string[] = []
  let isLeft = false
  page.on('dialog', dialog => {
    questions.push(dialog.message())
    return isLeft ? dialog.accept() : dialog.dismiss()
  })
  await page.getByRole('link', { name: 'All agents' }).click()
  await page.goBack()
  await expect.poll(() => questions.length).toBe(2)
  expect(questions[0]).toContain('not saved')
  // The page puts its address back after the question is answered.
  await expect.poll(() => page.url()).toMatch(/\/agents\/writer$/)
  await expect.poll(() => prompt().inputValue()).toBe('Changed.')
  isLeft = true
  await page.getByRole('link', { name: 'All agents' }).click()
  await page.getByRole('link', { name: 'New agent' }).waitFor()
  // Nothing is asked when nothing would be lost.
  await page.getByRole('link', { name: /The writer/ }).click()
  await page.getByRole('link', { name: 'All agents' }).click()
  await page.getByRole('link', { name: 'New agent' }).waitFor()
  expect(questions).toHaveLength(3)
})

test('an agent is copied and deleted', async () => {
  await put('writer', writer)
  await show('/agents/writer')
  await page.getByRole('button', { name: 'Copy' }).click()
  await page.getByRole('button', { name: 'Create' }).click()
  await page.waitForURL('**/agents/writer-copy')
  expect(await saved('writer-copy')).toMatchObject({ ...writer, version: 1 })
  page.once('dialog', dialog => dialog.accept())
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.waitForURL('**/agents')
  expect((await fetch(`${opened.server.url}/api/agents/writer-copy`)).status).toBe(404)
  await show('/agents/writer-copy')
  await page.getByText('There is no agent of this name.').waitFor()
})

test('an agent is tried beside its form, and the trial is deleted unless it is kept', async () => {
  await put('writer', writer)
  await show('/agents/~new')
  await page.getByRole('button', { name: 'Try it' }).click()
  await page.getByText('Save the agent to try it.').waitFor()
  await show('/agents/writer')
  await page.getByRole('button', { name: 'Try it' }).click()
  await page.getByText('You talk to the agent as it is saved.').waitFor()
  await prompt().fill('Changed.')
  await page.getByText('Save your changes to try them.').waitFor()
  await page.getByRole('button', { name: 'Discard changes' }).click()
  await send(page, 'Write')
  const answer = page.locator('article[data-status=finished]')
  await answer.getByText('A poem.').waitFor()
  await answer.locator('[data-sender]').getByText('The writer', { exact: true }).waitFor()
  const chats = async () => (await (await fetch(`${opened.server.url}/api/chats`)).json()).chats
  expect(await chats()).toHaveLength(1)
  await page.getByRole('button', { name: 'Begin again' }).click()
  await expect.poll(chats).toHaveLength(0)
  await send(page, 'Write again')
  await answer.getByText('A poem.').waitFor()
  await page.getByRole('button', { name: 'Keep as a chat' }).click()
  await page.waitForURL('**/chats/*')
  await answer.getByText('A poem.').waitFor()
  expect(await chats()).toHaveLength(1)
  // The chat goes on with the same agent, and another one can be chosen in its header.
  const header = page.getByRole('combobox', { name: 'Who should answer?' })
  await expect.poll(() => header.inputValue()).toBe('writer')
  await header.selectOption('Assistant')
  await page.getByText('· test:scripted').waitFor()
  await send(page, 'Hello')
  await answers(page).getByText('The assistant answers.').waitFor()
  await page.reload()
  await answers(page).getByText('The assistant answers.').waitFor()
  await expect.poll(() => header.inputValue()).toBe('assistant')
})

test('an agent of a workspace and of pages is made in the form, and offered where it is there', async () => {
  await show('/agents/~new')
  await page.getByLabel('Name', { exact: true }).fill('writer')
  await page.getByLabel('Shown as').fill('The writer')
  await prompt().fill('You are writer.')
  await page.getByLabel('Workspace', { exact: true }).fill('work')
  await page.getByLabel('Pages', { exact: true }).fill('board, a b')
  await page.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('alert').filter({ hasText: 'Use the letters A to Z' }).waitFor()
  await page.getByLabel('Pages', { exact: true }).fill('board, plan')
  await page.getByRole('button', { name: 'Create' }).click()
  await page.waitForURL('**/agents/work/writer')
  expect(await saved('writer?workspaceId=work')).toMatchObject({
    workspaceId: 'work',
    pageIds: ['board', 'plan'],
  })
  const offered = page.getByRole('combobox', { name: 'Who should answer?' })
  await show('/?workspaceId=work&pageId=home')
  await page.getByText('Assistant').first().waitFor()
  expect(await offered.count()).toBe(0)
  await show('/?workspaceId=work&pageId=board')
  await offered.selectOption('The writer')
  await send(page, 'Write')
  await answers(page).getByText('A poem.').waitFor()
  // The place stays in the address.
  expect(new URL(page.url()).search).toBe('?workspaceId=work&pageId=board')
})

test('an agent that was switched off says so to its person', async () => {
  await put('writer', writer)
  await show('/')
  await page.getByRole('combobox', { name: 'Who should answer?' }).selectOption('The writer')
  await put('writer', { ...writer, enabled: false, version: 1 })
  await send(page, 'Write')
  await page.getByText('The agent "writer" is switched off for now.').waitFor()
})
