import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createDemoModel } from '@throughline/agents/models/demo/demo-model'
import { demoSubAgents } from '@throughline/agents/models/demo/demo-sub-agents'
import { demoTools } from '@throughline/agents/models/demo/demo-tools'
import { launchBrowser } from '@throughline/testing/browser/browser'
import { defaultInstallation } from '@throughline/testing/server/default-installation'
import { startTestServer } from '@throughline/testing/server/test-server'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { expect, test } from 'vitest'

const pageFolder = fileURLToPath(new URL('../dist', import.meta.url))
const images = fileURLToPath(new URL('../../../docs/images', import.meta.url))
const now = () => new Date('2026-01-01T12:00:00Z')

interface Shot {
  readonly name: string
  readonly options: BrowserContextOptions
  readonly say: readonly string[]
  readonly look?: (page: Page) => Promise<void>
}

const wide = { width: 1160, height: 760 }

const shots: readonly Shot[] = [
  {
    name: 'answer-light',
    options: { viewport: wide },
    say: ['Use several tools at once'],
    look: page => page.locator('section[data-stage=done]').nth(1).getByRole('button').click(),
  },
  {
    name: 'answer-dark',
    options: { viewport: wide, colorScheme: 'dark' },
    say: ['Think before you answer', 'fail'],
  },
  { name: 'markdown', options: { viewport: wide }, say: ['Show me markdown with code and a table'] },
  {
    name: 'delegation',
    options: { viewport: wide },
    say: ['Delegate the weather in Lisbon'],
    look: async page => {
      await page.locator('[data-sub-agent=researcher]').getByRole('button').first().click()
      await page.locator('[data-sub-agent=checker]').getByRole('button').first().click()
    },
  },
  {
    name: 'versions',
    options: { viewport: wide },
    say: ['What is the weather in Lisbon?'],
    look: async page => {
      const [question, answer] = [page.locator('article').first(), page.locator('article').last()]
      await answer.getByRole('button', { name: 'Regenerate' }).click()
      await answer.getByRole('group', { name: 'Version 2 of 2' }).waitFor()
      await question.getByRole('button', { name: 'Edit' }).click()
      await page.getByRole('textbox', { name: 'Edit the message' }).fill('And in Paris?')
      await answer.hover()
    },
  },
  {
    name: 'inspector',
    options: { viewport: { width: 1360, height: 800 } },
    say: ['Delegate the weather in Lisbon'],
    look: async page => {
      await page.getByRole('button', { name: 'Inspect', exact: true }).click()
      await page.getByRole('tab', { name: 'Timeline' }).click()
      await page.locator('[data-lane=Checker]').waitFor()
    },
  },
  {
    name: 'replay-dark',
    options: { viewport: { width: 1360, height: 800 }, colorScheme: 'dark' },
    say: ['Delegate the weather in Lisbon'],
    look: async page => {
      await page.getByRole('button', { name: 'Inspect', exact: true }).click()
      await page.getByRole('tab', { name: 'Replay' }).click()
      await page.getByRole('slider').fill('40')
      await page.locator('[data-replay="41"]').waitFor()
    },
  },
  {
    name: 'narrow-chinese',
    options: { viewport: { width: 390, height: 760 }, locale: 'zh-CN' },
    say: ['你好，北京天气怎么样？'],
  },
]

// `SCREENSHOTS=1 npm test` writes the pictures of the docs. Without it, the pictures are taken and thrown away.
test('the page can be shown: light, dark, narrow and Chinese', async () => {
  const folder =
    process.env['SCREENSHOTS'] === undefined ? await mkdtemp(join(tmpdir(), 'throughline-')) : images
  await using chromium = await launchBrowser()
  await using server = await startTestServer({
    ...defaultInstallation(createDemoModel({ wordsPerSecond: 200 }), {
      subAgents: demoSubAgents(),
      tools: demoTools(),
    }),
    pageFolder,
    now,
  })
  for (const { name, options, say, look } of shots) {
    const context = await chromium.browser.newContext({ locale: 'en-US', ...options })
    const page = await context.newPage()
    // The same day as that of the server, so the list says that the chats are of today.
    await page.clock.setFixedTime(now())
    await page.goto(server.url)
    for (const [index, text] of say.entries()) {
      await page.getByRole('textbox').fill(text)
      await page.keyboard.press('Enter')
      await page.locator('article[data-status=finished]').nth(index).waitFor()
    }
    await look?.(page)
    await page.getByRole('textbox').last().blur()
    const path = join(folder, `${name}.png`)
    await page.screenshot({ path, animations: 'disabled' })
    expect((await readFile(path)).subarray(1, 4).toString()).toBe('PNG')
    await context.close()
  }
  if (folder !== images) await rm(folder, { recursive: true })
})
