import type { AgentEvent } from '@throughline/agents'
import { finish, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import type { TestBrowser } from '@throughline/testing/browser/browser'
import { sharedBrowser } from '@throughline/testing/browser/shared-browser'
import { ask } from '@throughline/testing/http/chat-requests'
import { ownerIdOf } from '@throughline/testing/server/test-server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openConsole } from './open-console.ts'

let chromium: TestBrowser

beforeAll(async () => {
  chromium = await sharedBrowser()
})
afterAll(() => chromium[Symbol.asyncDispose]())

test('what a person has used is drawn by day, and can be turned', async () => {
  await using opened = await openConsole(chromium, {
    agents: [counting('openai:gpt-5'), counting('no:price')],
  })
  const { page, server } = opened
  for (const agent of ['openai:gpt-5', 'no:price'])
    await (await ask(server.url, { chatId: agent.replace(':', '-'), fields: { agent } })).text()
  await page.goto(server.url)
  await page.getByRole('link', { name: 'Status' }).click()
  await page.waitForURL(`${server.url}/status`)
  const items = page.getByRole('listitem').filter({ hasText: 'tokens' })
  await expect
    .poll(() => items.allTextContents())
    .toEqual(['no:price1,100 tokens', 'openai:gpt-51,100 tokens · $0.0022'])
  await page.getByText('The price of 1,100 tokens is not known.').waitFor()

  const chart = page.getByRole('img', { name: /^Tokens per day/ })
  expect(await chart.locator('g').count()).toBe(30)
  await page.getByText('90 days').click()
  await expect.poll(() => chart.locator('g').count()).toBe(90)
  await chart.locator('g').last().hover()
  await page.getByText(/^\w+ \d+: 2,200 tokens · \$0\.0022$/).waitFor()
  await page.getByText('By agent').click()
  await expect.poll(() => items.last().textContent()).toContain('The openai:gpt-5')
  await page.getByText('Money', { exact: true }).click()
  await page.getByRole('img', { name: /^Money per day/ }).waitFor()
})

test('operators see the state of the server, and which keys are set, but never a key', async () => {
  await using opened = await openConsole(chromium, {
    keys: [
      { name: 'OPENAI_API_KEY', isSet: true },
      { name: 'TAVILY_API_KEY', isSet: false },
    ],
  })
  const { page, server } = opened
  await page.goto(`${server.url}/status`)
  await page.getByText('Nothing in this period.').waitFor()
  const keys = page.getByRole('listitem').filter({ hasText: '_API_KEY' })
  await expect.poll(() => keys.allTextContents()).toEqual(['OPENAI_API_KEYset', 'TAVILY_API_KEYnot set'])
  await page.getByText(`SQLite ${process.versions.sqlite}`).waitFor()
  await page.getByText(process.versions.node).waitFor()
  await page.getByText('works', { exact: true }).waitFor()
  await page.route('**/api/status', route => route.abort())
  await page.clock.install()
  await page.reload()
  await page.getByText('The server does not respond.').waitFor()
  await page.unroute('**/api/status')
  await page.clock.runFor(10_000)
  await page.getByText('works', { exact: true }).waitFor()
})

test('others see less, in Chinese and on a phone too', async () => {
  const token = 'the-token-of-alice'
  await using opened = await openConsole(chromium, {
    tokens: new Map([[token, ownerIdOf('alice')]]),
    operators: ['somebody-else'],
    browserContext: {
      locale: 'zh-CN',
      viewport: { width: 390, height: 800 },
      hasTouch: true,
      isMobile: true,
    },
  })
  const { page, server } = opened
  await page.addInitScript(kept => localStorage.setItem('throughline.token', kept), token)
  await page.goto(`${server.url}/status`)
  await page.getByText('服务器的更多信息仅对管理员显示。').waitFor()
  expect(await page.getByText('SQLite').count()).toBe(0)
  const width = await page.evaluate(() => document.documentElement.scrollWidth)
  expect(width).toBeLessThanOrEqual(390)
})

/** Returns an agent whose name is that of the model it says it has used. */
function counting(model: string) {
  const stepEnd: AgentEvent = {
    type: 'step-end',
    model,
    usage: { inputTokens: 1_000, outputTokens: 100, totalTokens: 1_100 },
  }
  return scriptedAgent(model, [{ type: 'step-start' }, say('Hello.'), stepEnd, finish])
}
