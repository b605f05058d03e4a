import type { Locator, Page } from 'playwright-core'

/** Where an element was in one frame, in pixels from the top of the window. */
export interface Place {
  readonly top: number
  readonly bottom: number
}

declare global {
  interface Window {
    watchedElement: Element | undefined
    watchedPlaces: Place[]
  }
}

/** Records from now on where an element is in each frame that is painted. What was recorded before is forgotten. */
export async function watchPlace(element: Locator): Promise<void> {
  await element.evaluate(startWatching)
}

/** Returns the places of the watched element. */
export async function placesOf(page: Page): Promise<readonly Place[]> {
  await nextFrames(page)
  return page.evaluate(() => window.watchedPlaces)
}

/** Returns how far the watched element moved from one frame to the next, for all moves of more than 8 pixels. */
export function jumps(places: readonly Place[], edge: keyof Place = 'top'): readonly number[] {
  return places.flatMap((place, index) => {
    const moved = Math.round(place[edge] - (places[index - 1] ?? place)[edge])
    return Math.abs(moved) > 8 ? [moved] : []
  })
}

/** Waits until everything that has changed by now is painted and recorded. */
async function nextFrames(page: Page): Promise<void> {
  await page.evaluate(
    () =>
      new Promise<void>(resolve => {
        const wait = (left: number) => (left === 0 ? resolve() : requestAnimationFrame(() => wait(left - 1)))
        wait(4)
      }),
  )
}

// Runs in the page.
function startWatching(element: Element): void {
  const isFirst = window.watchedElement === undefined
  window.watchedElement = element
  window.watchedPlaces = []
  // An element that is gone has moved infinitely far.
  const gone = { top: -Infinity, bottom: -Infinity }
  // A new observer is told where its elements are in the very frame in which it begins: after all layout and scrolling of
  // that frame, so it is where they are painted. An element that is asked itself, between two frames, says where it would
  // be, before the browser has scrolled. The document is observed, too, because it is never gone.
  const look = () => {
    const { watchedElement, watchedPlaces } = window
    const observer = new IntersectionObserver(entries => {
      observer.disconnect()
      const entry = entries.find(({ target }) => target === watchedElement && target.isConnected)
      const { top, bottom } = entry?.boundingClientRect ?? gone
      watchedPlaces.push({ top, bottom })
    })
    observer.observe(document.documentElement)
    if (watchedElement !== undefined) observer.observe(watchedElement)
    requestAnimationFrame(look)
  }
  if (isFirst) requestAnimationFrame(look)
}
