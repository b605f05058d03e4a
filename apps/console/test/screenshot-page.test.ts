import { fileURLToPath } from 'node:url'
import { type Agent, currentFrame } from '@throughline/agents'
import { finish, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import { pictureBase64, pictureBytes } from '@throughline/testing/browser/picture'
import { sharedBrowser } from '@throughline/testing/browser/shared-browser'
import { startTestServer } from '@throughline/testing/server/test-server'
import { expect, test } from 'vitest'

const pageFolder = fileURLToPath(new URL('../dist', import.meta.url))

const photographer: Agent = {
  name: 'photographer',
  displayName: 'Photographer',
  async *run() {
    const call = { toolCallId: 'call', toolName: 'browser_screenshot', input: {} }
    yield { type: 'tool-call', ...call }
    const screenshot = await currentFrame().run.keepFile({ mediaType: 'image/png', bytes: pictureBytes })
    yield { type: 'tool-result', ...call, output: { ok: true, screenshot } }
    yield { type: 'finish', finishReason: 'stop' }
  },
}

test('a screenshot is shown on the page, also after a reload', async () => {
  await using server = await startTestServer({ agents: [photographer], pageFolder })
  await using chromium = await sharedBrowser()
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

test('all pictures that a tool gives are shown, wherever in its output they are', async () => {
  const images = [pictureBase64, Buffer.concat([pictureBytes, Buffer.from('.')]).toString('base64')]
  const call = { toolCallId: 'call', toolName: 'paint', input: {} }
  const output = { text: 'Two.', pages: images.map(image => ({ image })) }
  const painter = scriptedAgent('painter', [{ type: 'tool-result', ...call, output }, finish])
  await using server = await startTestServer({ agents: [painter], pageFolder })
  await using chromium = await sharedBrowser()
  const page = await (await chromium.browser.newContext({ locale: 'en-US' })).newPage()
  await page.goto(server.url)
  await page.getByRole('textbox').fill('Paint two')
  await page.keyboard.press('Enter')
  await page.getByRole('img', { name: 'Screenshot' }).nth(1).waitFor()
})
