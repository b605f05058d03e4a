import { WebAccessError } from '../web/guard/web-access-error.ts'

/** Why an action in the browser failed. */
export type BrowserErrorCode =
  | 'no-browser'
  | 'no-page'
  | 'element-not-found'
  | 'element-not-usable'
  | 'invalid-selector'
  | 'timeout'
  | 'download'
  | 'closed'
  | 'failed'

/** The browser could not do something. The message is for the model: what happened and what to do, without paths. */
export class BrowserError extends Error {
  override readonly name = 'BrowserError'
  readonly code: BrowserErrorCode

  /** The cause is for the operator's log. */
  constructor(code: BrowserErrorCode, message: string, options: ErrorOptions = {}) {
    super(message, options)
    this.code = code
  }
}

/** Replaces the message of a Playwright error, because it contains call logs, addresses and paths. */
export function asBrowserError(error: unknown): BrowserError | WebAccessError {
  if (error instanceof BrowserError || error instanceof WebAccessError) return error
  const text = error instanceof Error ? error.message : ''
  if (error instanceof Error && error.name === 'TimeoutError') {
    return new BrowserError('timeout', 'The page took too long. Try again, or try another page.')
  }
  if (/download is starting/i.test(text)) {
    return new BrowserError(
      'download',
      'This address is a download, which the browser refuses. Try web_fetch.',
    )
  }
  if (/has been closed|crashed|disconnected/i.test(text)) {
    return new BrowserError('closed', 'The page was closed. Open it again with browser_navigate.')
  }
  if (/selector|unexpected token|while parsing/i.test(text) && !text.includes('net::')) {
    return new BrowserError('invalid-selector', 'This is not a valid CSS selector for such an element.')
  }
  const network = /net::(ERR_[A-Z_]{1,60})/.exec(text)?.[1]
  return network === undefined
    ? new BrowserError('failed', 'The browser could not do this on the page.')
    : new BrowserError('failed', `The page could not be loaded (${network}).`)
}
