import type { Page, Request } from 'playwright-core'
import { asBrowserError, BrowserError } from './browser-error.ts'
import type { BrowserGate } from './browser-gate.ts'

export interface TabOptions {
  readonly gate: BrowserGate
  /** Of the agent whose tab this is: when it is stopped, its tab is gone. */
  readonly signal: AbortSignal
  readonly actionTimeoutMs: number
  readonly onClose: () => void
}

/** How many windows a page may open from itself. */
const maxWindows = 4

/** What one agent has open. Its actions happen one after the other, on the window that was opened last. */
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

  /** Does something with the page, when everything that was asked before is done. Throws what a model can read. */
  act<Result>(work: (tab: BrowserTab) => Promise<Result>): Promise<Result> {
    const turn = this.#actions.then(() => this.#bounded(work))
    this.#actions = turn.catch(() => undefined)
    return turn
  }

  /** Closes the windows without waiting for them: a page that hangs must not hang whoever closes it. */
  readonly close = (): void => {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#options.signal.removeEventListener('abort', this.close)
    for (const page of this.#windows) closeQuietly(page)
    this.#options.onClose()
  }

  async #bounded<Result>(work: (tab: BrowserTab) => Promise<Result>): Promise<Result> {
    const { signal, actionTimeoutMs, gate } = this.#options
    // The run was stopped, or has loaded all it may: both end what is going on.
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
      // Whatever broke first, the stop, the limit or the refused address is why.
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

/** Whether a request is for what the page itself will show. */
export function isDocumentOf(page: Page, request: Request): boolean {
  if (!request.isNavigationRequest()) return false
  try {
    return request.frame() === page.mainFrame()
  } catch {
    // The frame is not there yet: a window that is just opening.
    return true
  }
}

function closeQuietly(page: Page): void {
  // It may be closed already, or its browser gone.
  page.close().catch(() => undefined)
}

function gone(): BrowserError {
  return new BrowserError('closed', 'The page was closed. Open it again with browser_navigate.')
}

function timedOut(timeoutMs: number): BrowserError {
  const message = `The page did nothing for ${timeoutMs / 1000} seconds and was closed. Open it again, or try another.`
  return new BrowserError('timeout', message)
}
