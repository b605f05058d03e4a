/** Why a page or a search failed. */
export type WebAccessErrorCode =
  | 'invalid-url'
  | 'blocked-scheme'
  | 'credentials'
  | 'blocked-port'
  | 'blocked-address'
  | 'dns'
  | 'network'
  | 'timeout'
  | 'aborted'
  | 'too-many-redirects'
  | 'too-large'
  | 'http-status'
  | 'unsupported-type'
  | 'invalid-answer'

/**
 * Is thrown when a page cannot be fetched or a search fails. The model and the person read its message. So it never
 * contains the address of a host name, text that a server sent, or a key. There is no `cause` for the same reason.
 */
export class WebAccessError extends Error {
  readonly code: WebAccessErrorCode
  /** The HTTP status of the response if the code is 'http-status', and undefined otherwise. */
  readonly status: number | undefined

  constructor(code: WebAccessErrorCode, message: string, status?: number) {
    super(message)
    this.name = 'WebAccessError'
    this.code = code
    this.status = status
  }
}
