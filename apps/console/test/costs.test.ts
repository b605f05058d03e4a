import type { AgentEvent } from '@throughline/agents'
import { finish, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import type { TestBrowser } from '@throughline/testing/browser/browser'
import { sharedBrowser } from '@throughline/testing/browser/shared-browser'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { answers, openConsole, send } from './open-console.ts'

let chromium: TestBrowser
beforeAll(async () => {
  chromium = await sharedBrowser()
})
afterAll(() => chromium[Symbol.asyncDispose]())

test.each([
  ['openai:gpt-5', '1,100 tokens · $0.0022'],
  ['openai:gpt-5-nano', '1,100 tokens · <$0.0001'],
  ['nobody:knows', '1,100 tokens'],
])('under an answer of %s the page says "%s" and no more about money', async (model, shown) => {
  const inputTokens = model.endsWith('nano') ? 1 : 1_000
  const stepEnd: AgentEvent = {
    type: 'step-end',
    model,
    usage: { inputTokens, outputTokens: 100, totalTokens: 1_100 },
  }
  const agent = scriptedAgent('assistant', [{ type: 'step-start' }, say('Hello.'), stepEnd, finish])
  await using opened = await openConsole(chromium, { agents: [agent] })
  const { page, server } = opened
  await page.goto(server.url)
  await send(page, 'Hi')
  const used = answers(page).last().locator('footer > span')
  await used.waitFor()
  expect(await used.textContent()).toBe(shown)
})
