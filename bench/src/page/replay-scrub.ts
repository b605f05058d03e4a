import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { launchBrowser } from '@throughline/testing/browser/browser'
import { longLog, longLogChat } from '@throughline/testing/log/long-log'
import { startTestServer } from '@throughline/testing/server/test-server'
import type { Page } from 'playwright-core'
import type { Section } from '../report.ts'
import { longTaskMs, tasksDuring, watchTasks } from './long-tasks.ts'

const entryCount = 20_000
const jumpCount = 200
/** A person who drags a slider takes what comes within this time for immediate. */
const limitMs = 100

/** Measures how fast the inspector shows any position of a long log, and whether the page stays usable. */
export async function measureReplay(): Promise<Section> {
  const pageFolder = fileURLToPath(new URL('../../../apps/console/dist', import.meta.url))
  if (!existsSync(pageFolder)) throw new Error('The page is not built. Run "npm run build" first.')
  await using chromium = await launchBrowser()
  await using server = await startTestServer({ pageFolder })
  await longLog(server, entryCount)
  const page = await chromium.browser.newPage()
  await page.addInitScript(watchTasks)
  await page.goto(`${server.url}/chats/${longLogChat}`)
  const opening = await tasksDuring(page, () => openReplay(page))
  let times: readonly number[] = []
  const dragging = await tasksDuring(page, async () => {
    times = await page.evaluate(jumpAround, jumpCount)
  })
  const slowest = Math.max(...times)
  const median = times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)] ?? 0
  const longest = Math.max(0, ...opening, ...dragging)
  return {
    title: `Inspector: a log of ${entryCount.toLocaleString('en')} entries, ${jumpCount} jumps of the replay's slider`,
    notes: [
      'Each jump goes to a position far away. The time ends with the animation frame after its messages are on the page.',
      'The page goes on drawing a long text for some animation frames, as it does in the chat.',
      'Tasks as the browser reports them (longtask): while the log is read, and during the jumps.',
    ],
    columns: { ours: 'measured', other: 'limit' },
    measurements: [
      {
        name: 'to any position, the median',
        ours: `${Math.round(median)} ms`,
        other: `${limitMs} ms`,
        ratio: median / limitMs,
        goal: { atMost: 1 },
      },
      {
        name: 'to any position, the slowest',
        ours: `${Math.round(slowest)} ms`,
        other: `${limitMs} ms`,
        ratio: slowest / limitMs,
        goal: { atMost: 1 },
      },
      {
        name: `the longest task, ${opening.length + dragging.length} long tasks`,
        ours: longest === 0 ? `< ${longTaskMs} ms` : `${Math.round(longest)} ms`,
        other: `${longTaskMs} ms`,
        ratio: longest / longTaskMs,
        goal: { atMost: 1 },
      },
    ],
  }
}

async function openReplay(page: Page): Promise<void> {
  await page.getByRole('textbox').focus()
  await page.keyboard.press('Alt+i')
  await page.getByRole('tab', { name: 'Replay' }).click()
  await page.locator(`[data-replay="${entryCount}"]`).waitFor()
}

/** Runs in the page. Returns how long each jump took, in milliseconds. */
async function jumpAround(count: number): Promise<readonly number[]> {
  const slider = document.querySelector<HTMLInputElement>('input[type=range]')
  const setter = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set
  if (slider === null || setter === undefined) throw new Error('The replay has no slider.')
  const times: number[] = []
  for (let jump = 1; jump <= count; jump += 1) {
    // Far from the last position each time, and the same positions in every measurement.
    const index = (jump * 7_919) % Number(slider.max)
    const begunAt = performance.now()
    setter.call(slider, String(index))
    slider.dispatchEvent(new Event('input', { bubbles: true }))
    while (document.querySelector(`[data-replay="${index + 1}"]`) === null)
      await new Promise(resolve => requestAnimationFrame(resolve))
    await new Promise(resolve => requestAnimationFrame(resolve))
    times.push(performance.now() - begunAt)
  }
  return times
}
