import { setTimeout as pause } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import type { Shot } from './encode-frames.ts'

const intervalMs = 90
/** The last picture stands still before the animation begins again. */
const lastMs = 2_000

/** Takes pictures of a page while something is done. Each is shown for as long as it was the newest one. */
export async function recordPage(page: Page, act: () => Promise<void>): Promise<readonly Shot[]> {
  const taken: { readonly png: Uint8Array; readonly at: number }[] = []
  let isOver = false
  const taking = (async () => {
    while (!isOver) {
      const at = performance.now()
      taken.push({ png: await page.screenshot(), at })
      await pause(Math.max(0, at + intervalMs - performance.now()))
    }
  })()
  await act()
  isOver = true
  await taking
  return taken.map(({ png, at }, index) => ({
    png,
    durationMs: Math.round((taken[index + 1]?.at ?? at + lastMs) - at),
  }))
}
