/** What went wrong with a service. docs/guides/remote-agents.md explains the cases. */
export type RemoteServiceErrorCode =
  | 'unreachable'
  | 'closed'
  | 'silent'
  | 'status'
  | 'no-stream'
  | 'cut'
  | 'unreadable'
  | 'reported'
  | 'stopped'
  | 'needs-person'
  | 'needs-tools'

/**
 * The service behind a remote agent did not write the whole answer. The message is for the person who reads the answer.
 * It never contains an address, a header or the body of a response.
 */
export class RemoteServiceError extends Error {
  override readonly name = 'RemoteServiceError'
  readonly code: RemoteServiceErrorCode
  /** The HTTP status, when the service responded with an error. */
  readonly status: number | undefined

  constructor(code: RemoteServiceErrorCode, message: string, status?: number) {
    super(message)
    this.code = code
    this.status = status
  }
}
