import { agentSystem } from '@throughline/server'
import { finish, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import { sharedBrowser } from '@throughline/testing/browser/shared-browser'
import { expect, test } from 'vitest'
import { openConsole } from './open-console.ts'

const call = { toolCallId: 'call', toolName: 'dump', input: { table: 'orders' } }
const agents = [
  scriptedAgent('assistant', [{ type: 'tool-result', ...call, output: 'row '.repeat(10_000_000) }, finish]),
]

test.each([
  ['en-US', 'Too large to show: these are the first 20 KB of 38 MB.'],
  ['zh-CN', '内容过大：这里只显示 38 MB 中的前 20 KB。'],
])('an output that was cut is shown with its beginning and a note, in %s', async (locale, note) => {
  await using chromium = await sharedBrowser()
  await using opened = await openConsole(chromium, {
    agents,
    system: agentSystem({ limits: { maxToolOutputBytes: 20_000 } }),
    browserContext: { locale },
  })
  const { page, server } = opened
  await page.goto(server.url)
  await page.getByRole('textbox').fill('Dump it')
  await page.keyboard.press('Enter')
  const card = page.locator('section[data-stage=done]')
  await card.getByRole('button').click()
  await page.getByText(note).waitFor()
  expect(await card.locator('pre').last().textContent()).toBe('row '.repeat(5_000))
})
