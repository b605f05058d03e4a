import type { Page } from 'playwright-core'

/** Browsers report tasks from this length on as long tasks. People begin to notice them. */
export const longTaskMs = 50

/** Returns the lengths of the long tasks of a page while something is done, in milliseconds. */
export async function tasksDuring(page: Page, act: () => Promise<void>): Promise<readonly number[]> {
  await page.evaluate(() => {
    sessionStorage.setItem('tasks', '[]')
  })
  await act()
  // The browser reports a task to the observer only after the task.
  await page.evaluate(() => new Promise(resolve => setTimeout(resolve, 500)))
  const tasks: unknown = JSON.parse(await page.evaluate(() => sessionStorage.getItem('tasks') ?? '[]'))
  return Array.isArray(tasks) ? tasks.map(Number) : []
}

/** Runs in the page before all other scripts, so that `tasksDuring` can tell. */
export function watchTasks(): void {
  const observer = new PerformanceObserver(list => {
    const known: unknown[] = JSON.parse(sessionStorage.getItem('tasks') ?? '[]')
    const found = list.getEntries().map(({ duration }) => duration)
    sessionStorage.setItem('tasks', JSON.stringify([...known, ...found]))
  })
  observer.observe({ type: 'longtask', buffered: true })
}
