import { fileURLToPath } from 'node:url'
import { sharedBrowser } from '@throughline/testing/browser/shared-browser'
import { sendJson } from '@throughline/testing/http/chat-requests'
import { fileOf, messageWith, picturePart } from '@throughline/testing/http/file-parts'
import { startTestServer } from '@throughline/testing/server/test-server'
import { expect, test } from 'vitest'

const pageFolder = fileURLToPath(new URL('../dist', import.meta.url))

test('a person’s message shows its pictures, and the names of its other files', async () => {
  await using server = await startTestServer({ pageFolder })
  const files = [picturePart, fileOf('text/csv', 'a,b', 'table.csv')]
  await (
    await sendJson(`${server.url}/api/chat`, { id: 'chat', message: messageWith(files, 'Look.') })
  ).text()
  await using chromium = await sharedBrowser()
  const page = await (await chromium.browser.newContext({ locale: 'en-US' })).newPage()
  await page.goto(`${server.url}/chats/chat`)
  const picture = page.getByRole('img', { name: 'red.png' })
  await picture.waitFor()
  const width = await picture.evaluate(async image => {
    if (!(image instanceof HTMLImageElement)) return 0
    await image.decode()
    return image.naturalWidth
  })
  expect(width).toBe(1)
  const question = page.locator('[data-role=user]')
  expect(await question.getByRole('listitem').allTextContents()).toEqual(['', 'table.csv'])
  expect(await question.locator('[data-text]').textContent()).toBe('Look.')
})
