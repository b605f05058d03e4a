import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createDemoModel, demoTools } from '@throughline/agents/demo'
import { sharedBrowser } from '@throughline/testing/browser/shared-browser'
import { defaultInstallation } from '@throughline/testing/server/default-installation'
import { startTestServer } from '@throughline/testing/server/test-server'
import react from '@vitejs/plugin-react'
import type { Page } from 'playwright-core'
import { build } from 'vite'
import { expect, test } from 'vitest'

test('a stock useChat page works unchanged: parts in order, a reload in mid-answer, one message, saved as shown', async () => {
  await using built = await builtPage()
  const slowed = Promise.withResolvers<void>()
  // The answer waits in the middle of the second text, so that the reload comes before its end.
  let waits = 0
  const model = createDemoModel({
    wait: async () => {
      waits += 1
      if (waits === 30) await slowed.promise
    },
  })
  await using server = await startTestServer({
    ...defaultInstallation(model, { tools: demoTools() }),
    pageFolder: built.folder,
  })
  await using chromium = await sharedBrowser()
  const page = await chromium.browser.newPage()
  await page.goto(server.url)
  await page.getByRole('button', { name: 'Ask' }).click()
  await page.locator('article[data-role=assistant] [data-part=text]').nth(1).waitFor()

  await page.reload()
  await page
    .locator('main[data-status=streaming] article[data-role=assistant] [data-part=text]')
    .nth(1)
    .waitFor()
  slowed.resolve()
  await page.locator('main[data-status=ready]').waitFor()

  expect(await page.locator('main').getAttribute('data-error')).toBeNull()
  expect(
    await page.locator('article').evaluateAll(all => all.map(each => each.getAttribute('data-role'))),
  ).toEqual(['user', 'assistant'])
  expect(await partsOf(page)).toEqual(await savedParts(server.url))
  expect(
    (await partsOf(page)).map(([type]) => type).filter(type => type !== 'step-start' && type !== 'data-step'),
  ).toEqual(['text', 'tool-weather', 'text'])
})

async function partsOf(page: Page): Promise<(string | null)[][]> {
  return page
    .locator('article[data-role=assistant] p')
    .evaluateAll(all => all.map(each => [each.getAttribute('data-part'), each.textContent]))
}

async function savedParts(url: string): Promise<string[][]> {
  const { messages } = await (await fetch(`${url}/api/chats/stock/messages`)).json()
  return messages[1].parts.map((part: { type: string; text?: string }) => [part.type, part.text ?? part.type])
}

async function builtPage(): Promise<AsyncDisposable & { readonly folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'throughline-stock-'))
  await build({
    root: fileURLToPath(new URL('./stock-page', import.meta.url)),
    configFile: false,
    logLevel: 'warn',
    plugins: [react()],
    build: { outDir: folder, emptyOutDir: true, chunkSizeWarningLimit: 2_000 },
  })
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) }
}
