import type { AgentEvent } from '@throughline/agents'
import { finish, scriptedAgent, weatherCall } from '@throughline/testing/agent/scripted-agent'
import type { TestBrowser } from '@throughline/testing/browser/browser'
import { sharedBrowser } from '@throughline/testing/browser/shared-browser'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { answers, openConsole } from './open-console.ts'

const call = weatherCall()
const failedTool: readonly AgentEvent[] = [
  { type: 'tool-call', ...call },
  { type: 'tool-error', ...call, errorText: 'There is no such city.' },
  finish,
]

let chromium: TestBrowser
beforeAll(async () => {
  chromium = await sharedBrowser()
})
afterAll(() => chromium[Symbol.asyncDispose]())

test.each([
  ['en-US', [finish], /The agent ended without saying anything$/],
  [
    'en-US',
    failedTool,
    /The agent ended without saying anything: last tool error \(weather\): There is no such city\.$/,
  ],
  ['zh-CN', [finish], /智能体没有作出任何回答就结束了$/],
  [
    'zh-CN',
    failedTool,
    /智能体没有作出任何回答就结束了：最后一次工具错误（weather）：There is no such city\.$/,
  ],
] as const)(
  'an answer that says nothing is told of in the language of the person: %s',
  async (locale, events, told) => {
    const agents = [scriptedAgent('assistant', events)]
    await using opened = await openConsole(chromium, { agents, browserContext: { locale } })
    const { page, server } = opened
    await page.goto(server.url)
    await page.getByRole('textbox').fill('How is the weather?')
    await page.keyboard.press('Enter')
    const note = answers(page).locator('p.text-warning')
    await note.waitFor()
    expect(await note.textContent()).toMatch(told)
    await page.reload()
    await note.waitFor()
    expect(await note.textContent()).toMatch(told)
    await page.getByRole('button', { name: locale === 'zh-CN' ? '重试' : 'Try again' }).waitFor()
  },
)
