import type { Page } from 'playwright-core'

declare global {
  interface Window {
    frameFaults: string[]
  }
}

/** Looks at every frame the page paints from now on, and notes what a person must never see. */
export async function watchFrames(page: Page): Promise<void> {
  await page.evaluate(() => {
    window.frameFaults = []
    const sent = new Set<string>()
    const look = () => {
      const users = [...document.querySelectorAll('article[data-role=user]')].map(
        each => each.getAttribute('data-message') ?? '',
      )
      for (const id of users) sent.add(id)
      for (const id of sent) {
        const times = users.filter(each => each === id).length
        if (times !== 1) window.frameFaults.push(`the user's message ${id} is there ${times} times`)
      }
      const names = [...document.querySelectorAll('[data-sender]')]
      for (const { textContent } of names)
        if (textContent !== 'Assistant') window.frameFaults.push(`the agent is called ${textContent}`)
      requestAnimationFrame(look)
    }
    look()
  })
}

export function frameFaults(page: Page): Promise<string[]> {
  return page.evaluate(() => window.frameFaults)
}
