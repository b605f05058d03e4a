import type { Locator, Page } from 'playwright-core'
import { withoutInvisible } from '../web/without-invisible.ts'
import { BrowserError } from './browser-error.ts'
import { type BrowserTab, isDocumentOf } from './browser-tab.ts'

/** What the page shows now. */
export interface PageState {
  readonly url: string
  readonly title: string
}

/** An element of the page, given by a CSS selector or by its text. */
export type ElementName = { readonly selector: string } | { readonly text: string }

const elementTimeoutMs = 5_000
const loadTimeoutMs = 20_000
/** How long to wait after a click for a navigation to begin, in milliseconds. */
const leaveTimeoutMs = 250

/** Opens an address in the tab. Returns the page's state with its HTTP status; 0 when there was no response. */
export async function openPage(
  tab: BrowserTab,
  url: string,
): Promise<PageState & { readonly status: number }> {
  const { page } = tab
  const response = await page.goto(url, { waitUntil: 'domcontentloaded', timeout: loadTimeoutMs })
  await loaded(page)
  return { ...(await stateOf(tab)), status: response?.status() ?? 0 }
}

/** Clicks an element, and waits until the page has settled. Throws a `BrowserError` when that is not possible. */
export async function clickElement(tab: BrowserTab, name: ElementName): Promise<PageState> {
  const element = await findElement(openedPage(tab), name)
  const click = () => element.click({ timeout: elementTimeoutMs })
  await settled(tab, () => orSay('It cannot be clicked: it is disabled, or something covers it.', click))
  return stateOf(tab)
}

/** A field, the text for it, and whether to press Enter after it. */
export interface Typing {
  readonly selector: string
  readonly text: string
  readonly submit: boolean
}

/** Fills in a field, or chooses from a list. Throws a `BrowserError` when that is not possible. */
export async function typeText(tab: BrowserTab, { selector, text, submit }: Typing): Promise<PageState> {
  const element = await findElement(openedPage(tab), { selector })
  const kind = await element.evaluate(({ tagName }) => tagName.toLowerCase())
  const timeout = elementTimeoutMs
  if (kind === 'select')
    await orSay('The list has no such choice.', () => element.selectOption(text, { timeout }))
  else await orSay('It is not a field that can be filled in.', () => element.fill(text, { timeout }))
  if (submit) await settled(tab, () => element.press('Enter', { timeout: elementTimeoutMs }))
  return stateOf(tab)
}

/** Returns the page. Throws when none is open. */
export function openedPage({ page }: BrowserTab): Page {
  if (page.url() !== 'about:blank') return page
  throw new BrowserError('no-page', 'No page is open yet. Open one with browser_navigate.')
}

/** Returns the address and the title of the page, both cut to a limited length. */
export async function stateOf({ page }: BrowserTab): Promise<PageState> {
  const title = withoutInvisible(await page.title())
  return { url: page.url().slice(0, 2_000), title: title.slice(0, 300) }
}

/** Waits for a visible element and returns it. Throws a `BrowserError` when there is none. */
export async function findElement(page: Page, name: ElementName): Promise<Locator> {
  const element = locatorOf(page, name).first()
  try {
    await element.waitFor({ state: 'visible', timeout: elementTimeoutMs })
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'TimeoutError') throw error
    throw elementNotFound(name)
  }
  if ('selector' in name) return element
  // A paragraph may contain the same words before the button does.
  const named = controlsNamed(page, name.text)
  return (await named.count()) > 0 ? named.first() : element
}

/** Explains a failure by what is on the page. Playwright only says that it waited, or which kind of element it needs. */
async function orSay(message: string, action: () => Promise<unknown>): Promise<void> {
  try {
    await action()
  } catch (error) {
    if (!(error instanceof Error)) throw error
    if (error.name !== 'TimeoutError' && !error.message.includes('Element is not')) throw error
    throw new BrowserError('element-not-usable', `${message} Look at the page with browser_extract.`)
  }
}

function locatorOf(page: Page, name: ElementName): Locator {
  // Plain CSS only: the selector languages of Playwright can reach into other iframes.
  if ('selector' in name) return page.locator(`css=${name.selector}`)
  return controlsNamed(page, name.text).or(page.getByText(name.text))
}

function controlsNamed(page: Page, name: string): Locator {
  return page.getByRole('button', { name }).or(page.getByRole('link', { name }))
}

function elementNotFound(name: ElementName): BrowserError {
  const what =
    'selector' in name ? `matches the selector ${quoted(name.selector)}` : `has the text ${quoted(name.text)}`
  const advice = 'Look at the page with browser_extract, which lists its fields and buttons.'
  return new BrowserError('element-not-found', `Nothing visible on the page ${what}. ${advice}`)
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 200))
}

/** Does something that may lead to another page, and waits until that page is loaded. */
async function settled(tab: BrowserTab, action: () => Promise<void>): Promise<void> {
  const { page } = tab
  const leaving = Promise.withResolvers<'leaving'>()
  const arrived = Promise.withResolvers<'arrived'>()
  const onRequest = (request: Parameters<typeof isDocumentOf>[1]) => {
    if (isDocumentOf(page, request)) leaving.resolve('leaving')
  }
  const onNavigated = (frame: unknown) => {
    if (frame === page.mainFrame()) arrived.resolve('arrived')
  }
  const onGone = () => arrived.resolve('arrived')
  page.on('request', onRequest).on('framenavigated', onNavigated).on('popup', onGone).on('close', onGone)
  page.on('requestfailed', onFailed)
  try {
    await action()
    const first = await Promise.race([leaving.promise, arrived.promise, after(leaveTimeoutMs)])
    if (first === 'leaving') await Promise.race([arrived.promise, after(loadTimeoutMs)])
  } finally {
    page
      .off('request', onRequest)
      .off('framenavigated', onNavigated)
      .off('popup', onGone)
      .off('close', onGone)
    page.off('requestfailed', onFailed)
  }
  await loaded(tab.page)

  // A download, or a response without content, does not change the page.
  function onFailed(request: Parameters<typeof isDocumentOf>[1]) {
    if (isDocumentOf(page, request)) arrived.resolve('arrived')
  }
}

/** Waits for pictures and scripts, but not for ever: a page can be used without them. */
async function loaded(page: Page): Promise<void> {
  await page.waitForLoadState('load', { timeout: elementTimeoutMs }).catch(error => {
    if (!(error instanceof Error) || error.name !== 'TimeoutError') throw error
  })
}

// This wait must not keep the process alive.
function after(ms: number): Promise<'late'> {
  return new Promise(resolve => {
    setTimeout(resolve, ms, 'late').unref()
  })
}
