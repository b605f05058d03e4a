import type { Page, Request } from 'playwright-core'
import { asBrowserError, BrowserError } from './browser-error.ts'
import type { BrowserGate } from './browser-gate.ts'

/** What a tab needs. `actionTimeoutMs` is the limit for one action, in milliseconds. */
export interface TabOptions {
  readonly gate: BrowserGate
  /** The signal of the agent that uses the tab. When it aborts, the tab closes. */
  readonly signal: AbortSignal
  readonly actionTimeoutMs: number
  readonly onClose: () => void
}

/** How many windows a page may open by itself. */
const maxWindows = 4

/** The windows of one agent. Actions run one after the other, in the window that was opened last. */
export class BrowserTab {
  readonly #options: TabOptions
  readonly #windows: Page[] = []
  #actions: Promise<unknown> = Promise.resolve()
  #documentUrl = ''
  #isClosed = false

  constructor(page: Page, options: TabOptions) {
    this.#options = options
    this.#adopt(page)
    options.signal.addEventListener('abort', this.close)
    if (options.signal.aborted) this.close()
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  get page(): Page {
    const page = this.#windows.at(-1)
    if (page === undefined || this.#isClosed) throw gone()
    return page
  }

  /** Runs an action after all earlier ones. Rejects with an error that a model can read. */
  act<Result>(work: (tab: BrowserTab) => Promise<Result>): Promise<Result> {
    const result = this.#actions.then(() => this.#bounded(work))
    this.#actions = result.catch(() => undefined)
    return result
  }

  /** Closes the windows. Does not wait for them, because a page may hang. */
  readonly close = (): void => {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#options.signal.removeEventListener('abort', this.close)
    for (const page of this.#windows) closeQuietly(page)
    this.#options.onClose()
  }

  async #bounded<Result>(work: (tab: BrowserTab) => Promise<Result>): Promise<Result> {
    const { signal, actionTimeoutMs, gate } = this.#options
    // A stop ends the action, and so does the limit of what a run may load.
    const ended = AbortSignal.any([signal, gate.full])
    ended.throwIfAborted()
    const cut = Promise.withResolvers<never>()
    const onAbort = () => cut.reject(ended.reason)
    const timer = setTimeout(() => {
      cut.reject(timedOut(actionTimeoutMs))
      this.close()
    }, actionTimeoutMs)
    ended.addEventListener('abort', onAbort)
    this.#documentUrl = ''
    try {
      const result = await Promise.race([work(this), cut.promise])
      const refusal = gate.refusalOf(this.#documentUrl)
      if (refusal !== undefined) throw refusal
      return result
    } catch (error) {
      // When there was a stop, a limit or a refused address, it is the reason for any other error.
      if (ended.aborted) throw ended.reason
      const refusal = gate.refusalOf(this.#documentUrl)
      if (refusal !== undefined) throw refusal
      throw this.#isClosed && !(error instanceof BrowserError) ? gone() : asBrowserError(error)
    } finally {
      clearTimeout(timer)
      ended.removeEventListener('abort', onAbort)
    }
  }

  #adopt(page: Page): void {
    if (this.#windows.length >= maxWindows || this.#isClosed) return closeQuietly(page)
    this.#windows.push(page)
    this.#documentUrl = page.url()
    page.on('popup', popup => this.#adopt(popup))
    page.on('request', request => {
      if (isDocumentOf(page, request)) this.#documentUrl = request.url()
    })
    page.once('crash', () => closeQuietly(page))
    page.once('close', () => {
      this.#windows.splice(this.#windows.indexOf(page), 1)
      if (this.#windows.length === 0) this.close()
    })
  }
}

/** Returns whether a request is for the page itself, not for something on it. */
export function isDocumentOf(page: Page, request: Request): boolean {
  if (!request.isNavigationRequest()) return false
  try {
    return request.frame() === page.mainFrame()
  } catch {
    // Playwright throws while the window is still opening.
    return true
  }
}

function closeQuietly(page: Page): void {
  // The page may be closed already.
  page.close().catch(() => undefined)
}

function gone(): BrowserError {
  return new BrowserError('closed', 'The page was closed. Open it again with browser_navigate.')
}

function timedOut(timeoutMs: number): BrowserError {
  const message = `The page did nothing for ${timeoutMs / 1000} seconds and was closed. Open it again, or try another.`
  return new BrowserError('timeout', message)
}
