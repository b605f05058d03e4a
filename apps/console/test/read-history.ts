import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { jumps, placesOf, watchPlace } from './watch-place.ts'

/** Returns 40 paragraphs, numbered from 0. */
export function paragraphs(word: string): string {
  return Array.from({ length: 40 }, (_, index) => `${word} says number ${index}.\n\n`).join('')
}

/**
 * Scrolls up as a person does, until an element is where the person reads: at the top of the screen, unless told
 * otherwise. From then on, the place of the element is recorded.
 */
export async function read(
  page: Page,
  element: Locator,
  block: ScrollLogicalPosition = 'start',
): Promise<void> {
  await element.waitFor()
  await scrollUp(page)
  await element.evaluate((found, where) => found.scrollIntoView({ block: where }), block)
  await watchPlace(element)
}

/** Turns the wheel of the mouse, so that the page no longer follows the end of the chat. */
export async function scrollUp(page: Page): Promise<void> {
  await page.mouse.move(700, 300)
  await page.mouse.wheel(0, -400)
  await page.getByRole('button', { name: 'Latest' }).waitFor()
}

/** Checks that what the person reads was in the same place in every frame. */
export async function expectNoJump(page: Page): Promise<void> {
  const places = await placesOf(page)
  expect(places.length).toBeGreaterThan(3)
  expect(jumps(places)).toEqual([])
}

/** Holds back the files of the page whose addresses match, until the returned function is called. */
export async function holdBack(page: Page, address: RegExp): Promise<() => void> {
  const held = Promise.withResolvers<void>()
  await page.route(address, async route => {
    await held.promise
    await route.continue()
  })
  return held.resolve
}
