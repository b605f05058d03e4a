import type { TestBrowser } from '@throughline/testing/browser/browser'
import { sharedBrowser } from '@throughline/testing/browser/shared-browser'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { half, numberedAgent, whole } from './numbered-agent.ts'
import { openConsole, send, shownMessages, untilShown } from './open-console.ts'

let chromium: TestBrowser

beforeAll(async () => {
  chromium = await sharedBrowser()
})
afterAll(() => chromium[Symbol.asyncDispose]())

test('two tabs of one chat show the same, whoever sends, in mid-answer too, and after one of them is loaded again', async () => {
  const { agent, letEnd } = numberedAgent()
  await using opened = await openConsole(chromium, { agents: [agent] })
  const { page: first, server } = opened
  const second = await opened.newTab()
  const bothShow = async (messages: readonly string[]) => {
    for (const tab of [first, second]) await untilShown(tab, messages)
  }
  await first.goto(server.url)
  await send(first, 'From the first')
  await untilShown(first, ['user: From the first', half(1)])
  await second.goto(first.url())
  await bothShow(['user: From the first', half(1)])
  letEnd(1)
  const begun = ['user: From the first', whole(1)]
  await bothShow(begun)

  await send(second, 'From the second')
  await bothShow([...begun, 'user: From the second', half(2)])
  await first.reload()
  await bothShow([...begun, 'user: From the second', half(2)])
  letEnd(2)
  const all = [...begun, 'user: From the second', whole(2)]
  await bothShow(all)
  expect(await idsOf(first)).toEqual(await idsOf(second))
})

test('another answer and an edit in one tab are followed by the other, and both keep all versions', async () => {
  const { agent, letEnd } = numberedAgent()
  await using opened = await openConsole(chromium, { agents: [agent] })
  const { page: first, server } = opened
  const second = await opened.newTab()
  letEnd(1)
  await first.goto(server.url)
  await send(first, 'Question')
  await untilShown(first, ['user: Question', whole(1)])
  await second.goto(first.url())
  await untilShown(second, ['user: Question', whole(1)])

  await second.getByRole('button', { name: 'Regenerate' }).click()
  await untilShown(first, ['user: Question', half(2)])
  letEnd(2)
  await first.getByRole('button', { name: 'Edit' }).click()
  await first.getByRole('textbox', { name: 'Edit the message' }).fill('Another question')
  await first.keyboard.press('Enter')
  await untilShown(second, ['user: Another question', half(3)])
  letEnd(3)
  for (const tab of [first, second]) {
    await untilShown(tab, ['user: Another question', whole(3)])
    await tab.getByRole('button', { name: 'Earlier version' }).click()
    await untilShown(tab, ['user: Question', whole(2)])
    expect(await tab.getByRole('group').count()).toBe(2)
  }
  expect(await shownMessages(first)).toEqual(await shownMessages(second))
})

function idsOf(page: Page): Promise<(string | null)[]> {
  return page.locator('article').evaluateAll(all => all.map(each => each.getAttribute('data-message')))
}
