import { defined, graphemeFloor } from '@throughline/protocol/internal'
import type { Locator, Page } from 'playwright-core'
import { htmlToText } from '../web/html-to-text.ts'
import { withoutInvisible } from '../web/without-invisible.ts'
import type { BrowserTab } from './browser-tab.ts'
import { findElement, openedPage, type PageState, stateOf } from './page-actions.ts'

/** A field or a button, with a selector for the other tools. */
export interface PageControl {
  readonly selector: string
  readonly kind: string
  readonly label: string
}

/** What a model reads of a page. `truncated`: the page has more text than this. */
export interface PageContents extends PageState {
  readonly text: string
  readonly truncated: boolean
  readonly controls: readonly PageControl[]
}

const maxHtmlChars = 2_000_000

/** Returns the text of the page, or of a part of it, as Markdown, and the fields and buttons that can be used. */
export async function readOpenPage(
  tab: BrowserTab,
  { selector, maxChars }: { readonly selector: string | undefined; readonly maxChars: number },
): Promise<PageContents> {
  const page = openedPage(tab)
  const element = selector === undefined ? page.locator('html') : await findElement(page, { selector })
  const html = await htmlOf(element)
  const { text } = await htmlToText(html, { url: page.url() })
  const state = await stateOf(tab)
  return {
    ...state,
    ...cutText(withoutInvisible(text).trim(), maxChars),
    controls: await controlsOf(element),
  }
}

/** A screenshot, with its size in pixels. */
export interface TakenScreenshot {
  readonly bytes: Uint8Array
  readonly width: number
  readonly height: number
}

/** In pixels. Browsers do not show larger pictures. */
const maxPictureHeight = 8_000

/** Takes a screenshot as PNG: of the visible part, or with `fullPage` of the whole page. */
export async function photograph(
  page: Page,
  { fullPage }: { readonly fullPage: boolean },
): Promise<TakenScreenshot> {
  const clip = fullPage ? await tallClip(page) : undefined
  const bytes = await page.screenshot({ type: 'png', fullPage, ...defined({ clip }) })
  // In a PNG, the size follows the signature.
  return { bytes, width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
}

async function tallClip(page: Page) {
  const { width, height } = await page.evaluate(() => {
    const { scrollWidth, scrollHeight } = document.documentElement
    return { width: scrollWidth, height: scrollHeight }
  })
  if (height <= maxPictureHeight) return undefined
  return { x: 0, y: 0, width: Math.min(width, maxPictureHeight), height: maxPictureHeight }
}

async function htmlOf(element: Locator): Promise<string> {
  return element.evaluate((node, max) => node.outerHTML.slice(0, max), maxHtmlChars)
}

function controlsOf(element: Locator): Promise<PageControl[]> {
  return element.evaluate(root => {
    const found = [...root.querySelectorAll('input:not([type=hidden]), select, textarea, button')]
    return found
      .filter(control => control.checkVisibility())
      .slice(0, 40)
      .map(control => {
        const tag = control.tagName.toLowerCase()
        const name = control.getAttribute('name')
        const label =
          ('labels' in control && control.labels instanceof NodeList
            ? control.labels[0]?.textContent
            : undefined) ||
          control.getAttribute('aria-label') ||
          control.getAttribute('placeholder') ||
          (control instanceof HTMLSelectElement
            ? [...control.options].map(({ text }) => text).join(', ')
            : control.textContent) ||
          control.getAttribute('value') ||
          ''
        const selector =
          control.id !== '' ? `#${CSS.escape(control.id)}` : name ? `${tag}[name="${CSS.escape(name)}"]` : tag
        return {
          selector: selector.slice(0, 200),
          kind: tag === 'input' ? `input ${control.getAttribute('type') ?? 'text'}` : tag,
          label: label.replace(/\s+/g, ' ').trim().slice(0, 100),
        }
      })
  })
}

/** Cuts a text that is too long, and says so at its end. */
function cutText(text: string, maxChars: number): Pick<PageContents, 'text' | 'truncated'> {
  if (text.length <= maxChars) return { text, truncated: false }
  const kept = text.slice(0, graphemeFloor(text, maxChars))
  const note = `[Cut here: these are the first ${kept.length} of ${text.length} characters. Read a part with a selector.]`
  return { text: `${kept}\n\n${note}`, truncated: true }
}
