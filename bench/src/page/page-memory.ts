import type { Page } from 'playwright-core'

/** What a page keeps in memory. */
export interface PageMemory {
  /** The heap of JavaScript, in megabytes. */
  readonly heapMb: number
  /** The number of nodes that are alive, in the document or not. */
  readonly nodes: number
}

/** Returns what a page keeps in memory after a garbage collection. */
export async function pageMemory(page: Page): Promise<PageMemory> {
  const session = await page.context().newCDPSession(page)
  try {
    await session.send('HeapProfiler.collectGarbage')
    await session.send('Performance.enable')
    const { metrics } = await session.send('Performance.getMetrics')
    const metric = (name: string) => metrics.find(each => each.name === name)?.value ?? Number.NaN
    return { heapMb: metric('JSHeapUsedSize') / 1024 / 1024, nodes: metric('Nodes') }
  } finally {
    await session.detach()
  }
}
