import { picturePart } from '@throughline/testing/http/file-parts'
import type { Page } from 'playwright-core'
import { type Look, say } from './walk-through.ts'

/** Brings the page into the states that belong to writing, and shows an offered page beside the chat. */
export async function walkComposer(page: Page, url: string, look: Look): Promise<void> {
  await page.goto(url)
  await walkField(page, look)
  await say(page, 'approve')
  await page.getByRole('alertdialog').waitFor()
  // Without words, because the Chinese page must have no others than its own.
  await say(page, '1, 2, 3')
  await page.locator('[data-waiting]').waitFor()
  await look('a message that waits')
  await page.goto(url)
  await walkSplitView(page, look)
}

async function walkField(page: Page, look: Look): Promise<void> {
  await page.locator('main input[type=file]').setInputFiles([
    {
      name: '1.png',
      mimeType: 'image/png',
      buffer: Buffer.from(picturePart.url.split(',')[1] ?? '', 'base64'),
    },
    { name: '2.txt', mimeType: 'text/plain', buffer: Buffer.from('Hello') },
    { name: '3.exe', mimeType: 'application/x-msdownload', buffer: Buffer.from('MZ') },
  ])
  await page.locator('main form [role=alert]').waitFor()
  await look('files in the field')
  const remove = page.locator('main form li button')
  while ((await remove.count()) > 0) await remove.first().click()
  await page.locator('[data-shortcut=write]').fill('/')
  await page.getByRole('option').first().waitFor()
  await look('the commands')
  await page.locator('[data-shortcut=write]').fill('')
  await page.locator('h1').first().click()
  await page.keyboard.press('Shift+?')
  await page.locator('dialog[open]').waitFor()
  await look('the keyboard shortcuts')
  await page.keyboard.press('Escape')
  await page.locator('dialog[open]').waitFor({ state: 'detached' })
}

async function walkSplitView(page: Page, look: Look): Promise<void> {
  await page.route('https://example.com/**', route =>
    route.fulfill({ contentType: 'text/html', body: '<title>Elsewhere</title>' }),
  )
  await say(page, 'open page')
  await page.locator('article[data-status=finished]').waitFor()
  await look('an offered page')
  await page.locator('[data-offer] button').first().click()
  await page.locator('aside iframe').waitFor()
  await look('a page beside the chat')
}
