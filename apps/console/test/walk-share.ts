import type { Page } from 'playwright-core'
import type { Look } from './walk-through.ts'

/** Brings the page into the states of sharing a chat: the dialog, the page of a link, and a link that leads nowhere. */
export async function walkShare(page: Page, url: string, look: Look): Promise<void> {
  const { request } = page
  for (const text of ['tools', 'delegate']) {
    const message = { id: text, role: 'user', parts: [{ type: 'text', text }] }
    await request.post(`${url}/api/chat`, { data: { id: 'trip', message } })
  }
  await request.patch(`${url}/api/chats/trip`, { data: { title: '2026' } })
  await page.goto(`${url}/chats/trip`)
  await page.locator('article[data-status=finished]').last().waitFor()
  const menu = page.locator('#menu-button')
  if (await menu.isVisible()) await menu.click()
  await page.locator('[data-row-menu]').click()
  await page.getByRole('menuitem').nth(2).click()
  const dialog = page.getByRole('dialog').last()
  await dialog.locator('ul').waitFor()
  await look('the dialog to share a chat')
  await dialog.locator('button[type=button]').first().click()
  const field = dialog.getByRole('textbox')
  await field.waitFor()
  // The link is there a moment before its button can be pressed again.
  await dialog.locator('button:disabled').first().waitFor({ state: 'detached' })
  await look('the dialog with a link')
  await page.goto(await field.inputValue())
  await page.locator('article[data-status=finished]').last().waitFor()
  const folded = page.locator('article [aria-expanded=false]')
  while ((await folded.count()) > 0) await folded.first().click()
  await look('a shared chat')
  await page.goto(`${url}/shared/nothing`)
  await page.locator('main a').waitFor()
  await look('a link that leads nowhere')
}
