import { writeFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createDemoModel, demoSubAgents, demoTools } from '@throughline/agents/demo'
import { launchBrowser } from '@throughline/testing/browser/browser'
import { defaultInstallation } from '@throughline/testing/server/default-installation'
import { startTestServer } from '@throughline/testing/server/test-server'
import type { Browser, Page } from 'playwright-core'
import { animatedWebp } from './animated-webp.ts'
import { encodeFrames, type Shot } from './encode-frames.ts'
import { recordPage } from './record-page.ts'

// Draws docs/images/throughline.webp, the animation at the top of the README: a chat with sub-agents, a reload in the
// middle of the answer, and the replay of the inspector. The page must be built.

const size = { width: 1080, height: 608 }
const maxBytes = 1_500_000
const root = new URL('../../', import.meta.url)
const picture = new URL('docs/images/throughline.webp', root)

await draw()

async function draw(): Promise<void> {
  await using chromium = await launchBrowser()
  await using server = await startTestServer({
    ...defaultInstallation(createDemoModel({ wordsPerSecond: 80 }), {
      subAgents: demoSubAgents(),
      tools: demoTools(),
    }),
    pageFolder: fileURLToPath(new URL('apps/console/dist', root)),
  })
  const context = await chromium.browser.newContext({ locale: 'en-US', viewport: size })
  const page = await context.newPage()
  await page.goto(server.url)
  await page.getByRole('textbox', { name: 'Write a message…' }).waitFor()
  const shots = await recordPage(page, () => tell(page))
  const file = await smallEnough(chromium.browser, shots)
  await writeFile(picture, file)
  const seconds = shots.reduce((sum, { durationMs }) => sum + durationMs, 0) / 1_000
  console.log(`${fileURLToPath(picture)}: ${seconds} s, ${file.length} bytes`)
}

/** Returns the animation with as many of the pictures as its size allows. */
async function smallEnough(browser: Browser, shots: readonly Shot[]): Promise<Uint8Array> {
  for (const every of [1, 2, 3, 4]) {
    const file = animatedWebp(size, await encodeFrames(browser, thinned(shots, every)))
    if (file.length <= maxBytes) return file
  }
  throw new Error(`The animation has more than ${maxBytes} bytes. Let it show less.`)
}

/** Keeps one picture out of this many. It is shown for as long as all of them together. */
function thinned(shots: readonly Shot[], every: number): readonly Shot[] {
  return shots.flatMap((shot, index) => {
    if (index % every !== 0) return []
    const durationMs = shots.slice(index, index + every).reduce((sum, each) => sum + each.durationMs, 0)
    return [{ ...shot, durationMs }]
  })
}

/** What the animation shows. */
async function tell(page: Page): Promise<void> {
  await pause(600)
  await page
    .getByRole('textbox', { name: 'Write a message…' })
    .pressSequentially('Delegate the weather in Lisbon', { delay: 25 })
  await page.keyboard.press('Enter')
  await page.locator('[data-sub-agent=checker]').waitFor()
  await pause(300)
  await page.reload()
  await page.locator('article[data-status=finished]').last().waitFor()
  await pause(600)
  await page.keyboard.press('Alt+i')
  await page.getByRole('tab', { name: 'Replay' }).click()
  const slider = page.getByRole('slider')
  await slider.waitFor()
  await slide(page, Number(await slider.getAttribute('max')))
}

/** Moves the slider to the beginning of the log, and slowly to its end. */
async function slide(page: Page, last: number): Promise<void> {
  const slider = page.getByRole('slider')
  const moveCount = 18
  for (let move = 0; move <= moveCount; move += 1) {
    await slider.fill(String(Math.round((last * move) / moveCount)))
    await pause(100)
  }
}
