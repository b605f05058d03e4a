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
 * A page or a search that could not be had. The message is written for the model and the person: it never holds an
 * address that a name stands for, what a server wrote, or a key. It has no `cause` for the same reason.
 */
export class WebAccessError extends Error {
  readonly code: WebAccessErrorCode
  /** The status a server answered with, when the code is 'http-status'. */
  readonly status: number | undefined

  constructor(code: WebAccessErrorCode, message: string, status?: number) {
    super(message)
    this.name = 'WebAccessError'
    this.code = code
    this.status = status
  }
}
