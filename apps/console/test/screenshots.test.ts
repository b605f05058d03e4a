import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createDemoModel, demoSubAgents, demoTools } from '@throughline/agents/demo'
import { sharedBrowser } from '@throughline/testing/browser/shared-browser'
import { defaultInstallation } from '@throughline/testing/server/default-installation'
import { startTestServer } from '@throughline/testing/server/test-server'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { expect, test } from 'vitest'

const pageFolder = fileURLToPath(new URL('../dist', import.meta.url))
const images = fileURLToPath(new URL('../../../docs/images', import.meta.url))
const now = () => new Date('2026-01-01T12:00:00Z')

const wide = { width: 1280, height: 800 }

/** How the page is looked at. */
const looks = [
  { name: 'light', options: { viewport: wide } },
  { name: 'dark', options: { viewport: wide, colorScheme: 'dark' } },
  { name: 'phone', options: { viewport: { width: 390, height: 780 }, hasTouch: true } },
  { name: 'chinese', options: { viewport: wide, locale: 'zh-CN' } },
] as const satisfies readonly { name: string; options: BrowserContextOptions }[]

/** What is looked at. */
const subjects = [
  {
    name: 'chat',
    show: async (page, isChinese) => {
      await say(page, isChinese ? '你好，北京天气怎么样？' : 'What is the weather in Lisbon?')
      await say(page, isChinese ? '请同时使用几个工具' : 'Show me markdown with code and a table')
    },
  },
  {
    name: 'sub-agents',
    show: async (page, isChinese) => {
      await delegate(page, isChinese)
      await page.locator('[data-sub-agent=researcher]').getByRole('button').first().click()
      await page.locator('[data-sub-agent=checker]').getByRole('button').first().click()
    },
  },
  {
    name: 'inspector',
    show: async (page, isChinese) => {
      await inspect(page, isChinese)
      await page.getByRole('tab').nth(1).click()
      await page.locator('[data-lane]').nth(2).waitFor()
    },
  },
  {
    name: 'replay',
    show: async (page, isChinese) => {
      await inspect(page, isChinese)
      await page.getByRole('tab').nth(2).click()
      await page.getByRole('slider').fill('40')
      await page.locator('[data-replay="41"]').waitFor()
    },
  },
  {
    name: 'agents',
    show: async page => {
      await page.goto(new URL('/agents', page.url()).href)
      await page.locator('[data-graph] button').first().waitFor()
    },
  },
] as const satisfies readonly { name: string; show: (page: Page, isChinese: boolean) => Promise<void> }[]

// `SCREENSHOTS=1 npm test` writes the pictures of the docs. Without it, the pictures are taken and thrown away, and of each subject
// only two: the other two looks are on the other subjects.
const isForDocs = process.env['SCREENSHOTS'] !== undefined

function subjectsIn(look: (typeof looks)[number]['name']) {
  const number = looks.findIndex(({ name }) => name === look)
  return subjects.filter((_, index) => isForDocs || (index + number) % 2 === 0)
}

test.each(looks)('the page can be shown: $name', async ({ name: look, options }) => {
  const folder = isForDocs ? images : await mkdtemp(join(tmpdir(), 'throughline-'))
  await using chromium = await sharedBrowser()
  await using server = await startDemo()
  for (const { name, show } of subjectsIn(look)) {
    const context = await chromium.browser.newContext({ locale: 'en-US', ...options })
    const page = await context.newPage()
    // The same day as that of the server, so the list says that the chats are of today.
    await page.clock.setFixedTime(now())
    await page.goto(server.url)
    await page.request.put(`${server.url}/api/agents/editor`, { data: editor })
    await show(page, look === 'chinese')
    await page.locator('[data-state] .animate-pulse').first().waitFor({ state: 'detached' })
    await page.evaluate(() => document.activeElement instanceof HTMLElement && document.activeElement.blur())
    const path = join(folder, `${name}-${look}.png`)
    await page.screenshot({ path, animations: 'disabled' })
    expect((await readFile(path)).subarray(1, 4).toString()).toBe('PNG')
    await context.close()
  }
  if (folder !== images) await rm(folder, { recursive: true })
})

/** An agent that a person has made on the page. */
const editor = {
  displayName: 'Editor',
  description: 'Asks the researcher, and writes what it has found in plain words.',
  systemPrompt: 'You are {{agentName}}. Write short sentences.',
  allowedSubAgents: ['researcher'],
}

function startDemo() {
  return startTestServer({
    ...defaultInstallation(createDemoModel({ wordsPerSecond: 400 }), {
      subAgents: demoSubAgents(),
      tools: demoTools(),
    }),
    pageFolder,
    now,
  })
}

function delegate(page: Page, isChinese: boolean): Promise<void> {
  return say(page, isChinese ? '请委派：里斯本的天气怎么样？' : 'Delegate the weather in Lisbon')
}

async function inspect(page: Page, isChinese: boolean): Promise<void> {
  await delegate(page, isChinese)
  await page.keyboard.press('Alt+i')
  await page.getByRole('tab').first().waitFor()
}

/** Sends a message, and waits for the end of its answer. */
async function say(page: Page, text: string): Promise<void> {
  const answers = page.locator('article[data-status=finished]')
  const count = await answers.count()
  const field = page.getByRole('textbox').last()
  await field.fill(text)
  await page.locator('form button[type=submit]').last().click()
  await answers.nth(count).waitFor()
}
