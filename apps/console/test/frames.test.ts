import { finish, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import type { TestBrowser } from '@throughline/testing/browser/browser'
import { sharedBrowser } from '@throughline/testing/browser/shared-browser'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { half, numberedAgent, whole } from './numbered-agent.ts'
import { answers, openConsole, send, untilShown } from './open-console.ts'
import { framesOf, late, namesIn, recordFrames, recordFramesFromLoad, vanished } from './watch-frames.ts'

let chromium: TestBrowser

beforeAll(async () => {
  chromium = await sharedBrowser()
})
afterAll(() => chromium[Symbol.asyncDispose]())

const bubble = (page: Page) => page.locator('article[data-role=thinking]')

/**
 * Checks a recording: each message is there at once, stays, and is there only once; every name is right.
 */
async function expectGoodFrames(page: Page, general?: string): Promise<void> {
  const frames = await framesOf(page)
  expect(late(frames)).toEqual([])
  expect(vanished(frames)).toEqual([])
  expect(namesIn(frames, general)).toEqual(['The assistant'])
}

test('a message is in the first frame after it was sent and in all others, once, and the agent has its name', async () => {
  const { agent, letEnd } = numberedAgent()
  await using opened = await openConsole(chromium, { agents: [agent] })
  const { page, server } = opened
  await recordFramesFromLoad(page)
  await page.goto(server.url)
  for (const count of [1, 2, 3]) {
    await send(page, `Question ${count}`)
    await answers(page)
      .nth(count - 1)
      .waitFor()
    letEnd(count)
    await page
      .locator('article[data-status=finished]')
      .nth(count - 1)
      .waitFor()
  }
  const frames = await framesOf(page)
  expect(frames.filter(({ type }) => type === 'painted').length).toBeGreaterThan(6)
  await expectGoodFrames(page)
})

test('while the server is slow to take the message, and the agent slow to begin, the bubble has the right name', async () => {
  const begins = Promise.withResolvers<void>()
  const slow = scriptedAgent('assistant', async function* () {
    await begins.promise
    yield say('Here I am.')
    yield finish
  })
  await using opened = await openConsole(chromium, { agents: [slow] })
  const { page, server } = opened
  await recordFramesFromLoad(page)
  const taken = Promise.withResolvers<void>()
  await page.route('**/api/chats/*/messages', async route => {
    await taken.promise
    await route.continue()
  })
  await page.goto(server.url)
  await send(page, 'Question')
  await bubble(page).waitFor()
  taken.resolve()
  await answers(page).waitFor()
  begins.resolve()
  await untilShown(page, ['user: Question', 'assistant: Here I am.'])
  await expectGoodFrames(page)
})

test('before the page knows the agents, the bubble has a name that is right for all of them', async () => {
  const { agent, letEnd } = numberedAgent()
  await using opened = await openConsole(chromium, { agents: [agent], browserContext: { locale: 'zh-CN' } })
  const { page, server } = opened
  await recordFramesFromLoad(page)
  const told = Promise.withResolvers<void>()
  await page.route('**/api/agents', async route => {
    await told.promise
    await route.continue()
  })
  await page.goto(server.url)
  await page.getByRole('textbox').fill('问题')
  const begun = Promise.withResolvers<void>()
  await page.route('**/api/chats/*/messages', async route => {
    await begun.promise
    await route.continue()
  })
  await page.keyboard.press('Enter')
  await bubble(page).waitFor()
  expect(await bubble(page).locator('[data-sender]').textContent()).toBe('智能体')
  begun.resolve()
  letEnd(1)
  await untilShown(page, ['user: 问题', whole(1)])
  await page.getByRole('textbox').fill('又一个')
  await page.keyboard.press('Enter')
  letEnd(2)
  await untilShown(page, ['user: 问题', whole(1), 'user: 又一个', whole(2)])
  told.resolve()
  await expectGoodFrames(page, '智能体')
})

test('on a slow network it is all the same, also when the page is loaded again in mid-answer', async () => {
  const { agent, letEnd } = numberedAgent()
  await using opened = await openConsole(chromium, { agents: [agent] })
  const { page, server } = opened
  await recordFramesFromLoad(page)
  const network = await page.context().newCDPSession(page)
  await network.send('Network.enable')
  await network.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 150,
    downloadThroughput: 100_000,
    uploadThroughput: 20_000,
  })
  await page.goto(server.url)
  await send(page, 'Question')
  await untilShown(page, ['user: Question', half(1)])
  await expectGoodFrames(page, 'Agent')

  await page.reload()
  await untilShown(page, ['user: Question', half(1)])
  letEnd(1)
  await untilShown(page, ['user: Question', whole(1)])
  await expectGoodFrames(page)
})

test('another answer comes under the name of who gave the first, though others come first in the list', async () => {
  const { agent, letEnd } = numberedAgent()
  const other = scriptedAgent('other', [say('Not me.'), finish])
  await using opened = await openConsole(chromium, { agents: [other, agent] })
  const { page, server } = opened
  letEnd(1)
  letEnd(2)
  await fetch(`${server.url}/api/chats/two/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      message: { id: 'question', role: 'user', parts: [{ type: 'text', text: 'Question' }] },
      agent: 'assistant',
    }),
  })
  await page.goto(`${server.url}/chats/two`)
  await untilShown(page, ['user: Question', whole(1)])
  await recordFrames(page)
  const asked = Promise.withResolvers<void>()
  await page.route('**/api/chats/*/answers', async route => {
    await asked.promise
    await route.continue()
  })
  await answers(page).getByRole('button', { name: 'Regenerate' }).click()
  await bubble(page).waitFor()
  asked.resolve()
  await untilShown(page, ['user: Question', whole(2)])
  const frames = await framesOf(page)
  expect(vanished(frames)).toEqual([])
  expect(namesIn(frames)).toEqual(['The assistant'])
})
