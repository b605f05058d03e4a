import { basePath } from '../base-path.ts'

const name = `throughline.seen ${basePath}`

/** Holds a lock while a person sees this tab, so that the other tabs know. Ends when the signal aborts. */
export async function holdWhileSeen(signal: AbortSignal): Promise<void> {
  // Browsers have locks only for pages that came over HTTPS or from this machine.
  if (navigator.locks === undefined) return
  while (!signal.aborted) {
    const changed = untilChanged(signal)
    // The lock is held until the promise settles. When the tab is closed, the browser lets go of it.
    if (document.visibilityState === 'visible')
      await navigator.locks.request(name, { mode: 'shared' }, () => changed).catch(() => changed)
    else await changed
  }
}

/** Returns whether a person sees this tab or another one of this page. */
export async function isSeenInAnyTab(): Promise<boolean> {
  if (document.visibilityState === 'visible') return true
  const locks = await navigator.locks?.query().catch(() => undefined)
  return locks?.held?.some(lock => lock.name === name) ?? false
}

/** Waits until the tab is hidden or shown, or the signal aborts. */
function untilChanged(signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    document.addEventListener('visibilitychange', () => resolve(), { once: true, signal })
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
