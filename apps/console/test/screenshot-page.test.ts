import { fileURLToPath } from 'node:url'
import type { Agent } from '@throughline/agents/agent'
import { launchBrowser } from '@throughline/testing/browser'
import { startTestServer } from '@throughline/testing/test-server'
import { expect, test } from 'vitest'

const pageFolder = fileURLToPath(new URL('../dist', import.meta.url))

// One red pixel.
const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==',
  'base64',
)

const photographer: Agent = {
  name: 'photographer',
  displayName: 'Photographer',
  async *run({ frame }) {
    const call = { toolCallId: 'call', toolName: 'browser_screenshot', input: {} }
    yield { type: 'tool-call', ...call }
    const screenshot = await frame?.run.keepFile({ mediaType: 'image/png', bytes: picture })
    yield { type: 'tool-result', ...call, output: { ok: true, screenshot } }
    yield { type: 'finish', finishReason: 'stop' }
  },
}

test('a screenshot is shown on the page, also after a reload', async () => {
  await using server = await startTestServer({ agents: [photographer], pageFolder })
  await using chromium = await launchBrowser()
  const page = await (await chromium.browser.newContext({ locale: 'en-US' })).newPage()
  await page.goto(server.url)
  await page.getByRole('textbox').fill('Take a picture')
  await page.keyboard.press('Enter')
  const shown = page.getByRole('img', { name: 'Screenshot' })
  await shown.waitFor()
  await page.reload()
  await shown.waitFor()
  const width = await shown.evaluate(async image => {
    if (!(image instanceof HTMLImageElement)) return 0
    await image.decode()
    return image.naturalWidth
  })
  expect(width).toBe(1)
})
