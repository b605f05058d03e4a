import { heldAgent, say } from '@throughline/testing/agent/scripted-agent'
import { launchBrowser, type TestBrowser } from '@throughline/testing/browser/browser'
import { loadChat } from '@throughline/testing/http/chat-requests'
import { startTestServer } from '@throughline/testing/server/test-server'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readGuide, startGuideProject } from './guide-project.ts'

let chromium: TestBrowser
beforeAll(async () => {
  chromium = await launchBrowser()
})
afterAll(() => chromium[Symbol.asyncDispose]())

const halves = { before: [say('Well, ')], after: [say('yes.')] }

// The page of the guide for useChat has no index.html and no vite.config.ts of its own: it uses those of the other guide.
describe.each([
  ['react', ['react']],
  ['use-chat', ['use-chat', 'react']],
])('the page in the guide %s', (_, guides) => {
  test('streams an answer, goes on after a reload, and shows it once', async () => {
    const { agent, letGo } = heldAgent('assistant', halves)
    await using server = await startTestServer({ agents: [agent] })
    await using project = await startGuideProject({ guides, serverUrl: server.url })
    const page = await openPage(project.url)
    await ask(page, 'Is it?')
    await page.getByText('Well, ').waitFor()

    await page.reload()
    await page.getByText('Well, ').waitFor()
    letGo()
    await page.getByText('Well, yes.').waitFor()
    await page.locator('main[data-status=ready]').waitFor()
    expect(await page.locator('[data-role=user]').count()).toBe(1)
    expect(await page.locator('[data-role=assistant]').count()).toBe(1)
  })

  test('stops the agent, and keeps what it said', async () => {
    const { agent } = heldAgent('assistant', halves)
    await using server = await startTestServer({ agents: [agent] })
    await using project = await startGuideProject({ guides, serverUrl: server.url })
    const page = await openPage(project.url)
    await ask(page, 'Is it?')
    await page.getByText('Well, ').waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.locator('main[data-status=ready]').waitFor()
    expect(await page.locator('[data-role=assistant]').textContent()).toContain('Well, ')
    const { messages } = await loadChat(server.url, 'first')
    expect(messages).toMatchObject([{ role: 'user' }, { role: 'assistant', metadata: { status: 'stopped' } }])
  })
})

test('the transport in the guide use-chat that sends only the last message adds it to the end of the chat', async () => {
  const guide = await readGuide('use-chat')
  const [, transport = ''] = /## Send only the last message.*?```ts\n(.*?)```/s.exec(guide) ?? []
  await using server = await startTestServer()
  await using project = await startGuideProject({
    guides: ['use-chat', 'react'],
    serverUrl: server.url,
    edit: code => code.replace(/^const transport = .*$/m, transport),
  })
  const page = await openPage(project.url)
  const bodies: unknown[] = []
  page.on('request', request => {
    if (request.method() === 'POST') bodies.push(request.postDataJSON())
  })
  await ask(page, 'One?')
  await ask(page, 'Two?')
  await page.locator('main[data-status=ready] [data-role=assistant]').nth(1).waitFor()
  const { messages } = await loadChat(server.url, 'first')
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant'])
  expect(bodies).toMatchObject([{ message: { id: messages[0]?.id } }, { message: { id: messages[2]?.id } }])
  for (const body of bodies) expect(body).not.toHaveProperty('messages')
})

async function openPage(url: string): Promise<Page> {
  const page = await chromium.browser.newPage()
  await page.goto(url)
  return page
}

async function ask(page: Page, text: string): Promise<void> {
  await page.locator('main[data-status=ready]').waitFor()
  await page.getByPlaceholder('Write a message').fill(text)
  await page.getByRole('button', { name: 'Send' }).click()
}
