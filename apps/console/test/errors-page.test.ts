import type { AgentEvent } from '@throughline/agents'
import { say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import type { TestBrowser } from '@throughline/testing/browser/browser'
import { sharedBrowser } from '@throughline/testing/browser/shared-browser'
import { sendJson } from '@throughline/testing/http/chat-requests'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openConsole } from './open-console.ts'

let chromium: TestBrowser

beforeAll(async () => {
  chromium = await sharedBrowser()
})
afterAll(() => chromium[Symbol.asyncDispose]())

test('an error of the server is said in Chinese by its code, with the text of the server as a detail', async () => {
  await using opened = await openConsole(chromium, { browserContext: { locale: 'zh-CN' } })
  const { page, server } = opened
  const detail = 'Already 20 messages wait.'
  await page.route('**/api/chats/*/messages', route =>
    route.fulfill({ status: 409, json: { code: 'queue-full', detail } }),
  )
  await page.goto(server.url)
  await page.locator('main textarea').last().fill('你好')
  await page.keyboard.press('Enter')
  const alert = page.getByRole('alert')
  await alert.getByText('排队的消息过多，请稍后再试。').waitFor()
  expect(await alert.locator('[lang=en]').textContent()).toBe(detail)
})

test('how answers and calls ended is said in Chinese, also after a reload; what a tool has said stays as it is', async () => {
  const call = { toolCallId: 'call', toolName: 'look', input: {} }
  const scripts: readonly (readonly AgentEvent[])[] = [
    [
      { type: 'tool-call', ...call },
      { type: 'tool-error', ...call, errorText: 'No such city.' },
      { type: 'error', error: new Error('Broken.') },
    ],
    [say('Long.'), { type: 'finish', finishReason: 'length' }],
    [{ type: 'tool-call', ...call }],
  ]
  let count = 0
  const agent = scriptedAgent('assistant', async function* () {
    yield* scripts[count++] ?? []
    // The last one works until it is stopped.
    if (count === scripts.length) await new Promise(() => undefined)
  })
  await using opened = await openConsole(chromium, { agents: [agent], browserContext: { locale: 'zh-CN' } })
  const { page, server } = opened
  await page.goto(server.url)
  const ask = async () => {
    await page.locator('main textarea').last().fill('你好')
    await page.keyboard.press('Enter')
  }
  const expectWords = async () => {
    await page.getByRole('alert').getByText('回答因错误中断。已有内容已保留，请重试。').waitFor()
    await page.locator('[data-stage=failed]').getByText('No such city.').waitFor()
    await page.getByText('已达上限：回答已达到模型的长度上限。').waitFor()
    await page.locator('[data-stage=cut]').getByText('已由用户停止。').waitFor()
  }
  await ask()
  await page.locator('article[data-status=failed]').waitFor()
  await ask()
  await page.locator('article[data-status=limit]').waitFor()
  await ask()
  await page.locator('[data-stage=running]').waitFor()
  await page.locator('[data-shortcut=stop]').click()
  await expectWords()
  await page.reload()
  await expectWords()
})

test('a code that the page does not know is shown with the text of the server', async () => {
  await using opened = await openConsole(chromium, { browserContext: { locale: 'zh-CN' } })
  const { page, server } = opened
  await page.route('**/messages?branches=all&*', route =>
    route.fulfill({ status: 400, json: { code: 'of-tomorrow', detail: 'Something new.' } }),
  )
  await page.goto(`${server.url}/chats/first`)
  await page.getByRole('alert').getByText('Something new.').waitFor()
})

test('when the server is away, a new title is not lost, and a deleted chat comes back', async () => {
  await using opened = await openConsole(chromium, {})
  const { page, server } = opened
  await sendJson(`${server.url}/api/chats`, { id: 'first', title: 'First' })
  await page.goto(server.url)
  const choose = async (item: string) => {
    await page.locator('[data-row=first] [data-row-menu]').click()
    await page.getByRole('menuitem', { name: item, exact: true }).click()
  }
  await page.locator('[data-row=first]').waitFor()
  await page.clock.install()
  await page.context().setOffline(true)
  await choose('Rename')
  const field = page.getByRole('textbox', { name: 'Rename' })
  await field.fill('A better name')
  await page.keyboard.press('Enter')
  await page.getByRole('status').getByText('Is the server away?').waitFor()
  await expect.poll(() => field.inputValue()).toBe('A better name')
  await page.context().setOffline(false)
  await field.press('Enter')
  await page.locator('[data-row=first]').getByText('A better name').waitFor()

  await page.context().setOffline(true)
  await choose('Delete')
  await page.locator('[data-row=first]').waitFor({ state: 'detached' })
  await page.clock.runFor(6_001)
  await page.getByRole('status').getByText('Is the server away?').waitFor()
  await page.locator('[data-row=first]').getByText('A better name').waitFor()
})
