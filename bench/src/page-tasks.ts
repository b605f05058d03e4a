import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { finish, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import { launchBrowser } from '@throughline/testing/browser/browser'
import { startTestServer } from '@throughline/testing/server/test-server'
import type { Page } from 'playwright-core'
import { longTaskMs, tasksDuring, watchTasks } from './long-tasks.ts'
import type { Measurement, Section } from './report.ts'

const deltaCount = 100_000

/** Measures whether the page stays usable while an answer of 100,000 deltas arrives at full speed. */
export async function measurePageTasks(): Promise<Section> {
  const pageFolder = fileURLToPath(new URL('../../apps/console/dist', import.meta.url))
  if (!existsSync(pageFolder)) throw new Error('The page is not built. Run "npm run build" first.')
  const agent = scriptedAgent('assistant', () => [...deltas().map(say), finish])
  await using chromium = await launchBrowser()
  await using server = await startTestServer({ agents: [agent], pageFolder })
  const page = await chromium.browser.newPage()
  await page.addInitScript(watchTasks)
  await page.goto(server.url)
  const field = page.getByRole('textbox')
  await field.fill('Write.')
  const live = await tasksDuring(page, async () => {
    await page.keyboard.press('Enter')
    await answered(page)
  })
  const reloaded = await tasksDuring(page, async () => {
    await page.reload()
    await answered(page)
  })
  return {
    title: `Page: ${deltaCount.toLocaleString('en')} deltas of Markdown in Chromium, the longest task`,
    notes: [
      'The console and its server on one machine, the answer written at full speed, so the page has a core at most.',
      'Tasks as the browser reports them (PerformanceObserver, longtask); those below 50 ms are not reported at all.',
    ],
    columns: { ours: 'longest', other: 'limit' },
    measurements: [measurement('live', live), measurement('the same answer, loaded again', reloaded)],
  }
}

function measurement(name: string, tasks: readonly number[]): Measurement {
  const longest = Math.max(0, ...tasks)
  return {
    name: `${name}, ${tasks.length} long tasks`,
    ours: tasks.length === 0 ? `< ${longTaskMs} ms` : `${Math.round(longest)} ms`,
    other: `${longTaskMs} ms`,
    ratio: longest / longTaskMs,
    goal: { atMost: 1 },
  }
}

async function answered(page: Page): Promise<void> {
  await page.locator('article[data-status=finished]').waitFor({ timeout: 300_000 })
}

function deltas(): readonly string[] {
  const section =
    '## A heading of some words\n\nA paragraph with **bold words**, `code` and a [link](https://example.com) in it.\n\n' +
    '- one item\n- another item\n\n```js\nconst one = 1\n```\n\n'
  const text = section.repeat(Math.ceil((deltaCount * 5) / section.length))
  return Array.from({ length: deltaCount }, (_, index) => text.slice(index * 5, index * 5 + 5))
}
