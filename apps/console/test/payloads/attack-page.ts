import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import type { Console } from '../open-console.ts'
import { harmfulMarkup } from './harmful-markup.ts'
import type { Payload } from './make-payloads.ts'
import { savePayloadChat } from './save-payload-chat.ts'
import { watchHarm } from './watch-harm.ts'

const payloadsPerChat = 200

/**
 * Shows payloads in all places of a page: the list of chats, saved chats with everything in them opened, the log and
 * the replay of the inspector, and what a search finds. Expects that nothing happens.
 */
export async function attackPage({ page, server }: Console, payloads: readonly Payload[]): Promise<void> {
  const harm = await watchHarm(page, server.url)
  const count = Math.ceil(payloads.length / payloadsPerChat)
  const chats = Array.from({ length: count }, (_, index) => ({
    id: `payloads-${index}`,
    payloads: payloads.slice(index * payloadsPerChat, (index + 1) * payloadsPerChat),
  }))
  for (const chat of chats) await savePayloadChat(server.store, chat.id, chat.payloads)
  for (const chat of chats) {
    await page.goto(`${server.url}/chats/${chat.id}`)
    await openEverything(page, chat.payloads.length)
    expect([chat.id, harm, await harmfulMarkup(page)]).toEqual([chat.id, [], []])
    await inspect(page)
    await search(page, `Case ${chat.payloads[0]?.number}:`)
    expect([chat.id, harm, await harmfulMarkup(page)]).toEqual([chat.id, [], []])
  }
}

/** Waits until all messages are drawn, and opens all that is folded: cards, reasoning, sub-agents. */
async function openEverything(page: Page, payloadCount: number): Promise<void> {
  const articles = page.locator('main article')
  await expect.poll(() => articles.count()).toBe(2 * payloadCount)
  await expect
    .poll(() =>
      page.evaluate(() => {
        const folded = document.querySelectorAll<HTMLElement>('main article button[aria-expanded=false]')
        for (const button of folded) button.click()
        return folded.length
      }),
    )
    .toBe(0)
  // Some things are drawn only when they come into view.
  await page.evaluate(async () => {
    for (const [index, article] of document.querySelectorAll('main article').entries()) {
      if (index % 4 !== 0) continue
      article.scrollIntoView()
      await new Promise(requestAnimationFrame)
    }
  })
  await expectNothingBroken(page, 2 * payloadCount)
}

/** Looks at the log, at one entry, and at the replay in some places. */
async function inspect(page: Page): Promise<void> {
  await page.keyboard.press('Alt+i')
  const inspector = page.getByRole('complementary', { name: 'Inspector' })
  await inspector.locator('[role=option]').nth(3).click()
  await inspector.locator('pre').waitFor()
  await inspector.getByRole('tab', { name: 'Timeline' }).click()
  await inspector.getByRole('tab', { name: 'Replay' }).click()
  const slider = inspector.getByRole('slider', { name: 'Position' })
  await slider.waitFor()
  const last = Number(await slider.getAttribute('max'))
  for (const part of [0.2, 0.5, 0.8]) {
    const position = Math.round(last * part)
    await slider.fill(String(position))
    await inspector.locator(`[data-replay="${position + 1}"]`).waitFor()
  }
  await page.keyboard.press('Alt+i')
}

async function search(page: Page, text: string): Promise<void> {
  await page.getByRole('searchbox').fill(text)
  await page.getByText(/found/).first().waitFor()
  await page.getByRole('searchbox').fill('')
}

async function expectNothingBroken(page: Page, articleCount: number): Promise<void> {
  expect(await page.getByText('This part cannot be shown.', { exact: true }).count()).toBe(0)
  expect(await page.locator('main article').count()).toBe(articleCount)
}
