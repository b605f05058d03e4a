/** The body of an HTTP response that reports an error: problem details (RFC 9457). */
interface Problem {
  readonly type: 'about:blank'
  readonly title: string
  /** The HTTP status. */
  readonly status: number
  /** For programs: the kind of error. These codes do not change from version to version. */
  readonly code: string
  /** For people: what is wrong, and what to do. */
  readonly detail: string
  /** More facts that a program can use, such as the active run of a busy chat. */
  readonly [fact: string]: unknown
}

/** An error that is meant for the client. The server turns it into a `Problem` response; no stack trace is sent. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError'
  /** The HTTP status. */
  readonly status: number
  /** For programs: the kind of error. */
  readonly code: ProblemCode
  /** More facts that a program can use. */
  readonly facts: Readonly<Record<string, unknown>>

  constructor(
    status: number,
    code: ProblemCode,
    detail: string,
    facts: Readonly<Record<string, unknown>> = {},
  ) {
    super(detail)
    this.status = status
    this.code = code
    this.facts = facts
  }

  /** Returns the body of the response. */
  toProblem(): Problem {
    return {
      ...this.facts,
      type: 'about:blank',
      title: titles.get(this.status) ?? 'Error',
      status: this.status,
      code: this.code,
      detail: this.message,
    }
  }
}

const titles: ReadonlyMap<number, string> = new Map([
  [400, 'Bad Request'],
  [401, 'Unauthorized'],
  [403, 'Forbidden'],
  [404, 'Not Found'],
  [405, 'Method Not Allowed'],
  [406, 'Not Acceptable'],
  [408, 'Request Timeout'],
  [409, 'Conflict'],
  [410, 'Gone'],
  [413, 'Content Too Large'],
  [415, 'Unsupported Media Type'],
  [417, 'Expectation Failed'],
  [421, 'Misdirected Request'],
  [429, 'Too Many Requests'],
  [431, 'Request Header Fields Too Large'],
  [500, 'Internal Server Error'],
  [503, 'Service Unavailable'],
])

/**
 * The kinds of errors that the server reports. A code does not change from version to version. Whoever adds one also adds
 * the words for it in other languages: `apps/console/src/errors/zh-errors.tsx`.
 */
export type ProblemCode =
  | 'agent-disabled'
  | 'agent-in-code'
  | 'agent-not-found'
  | 'answer-not-found'
  | 'approval-not-found'
  | 'approval-not-waiting'
  | 'body-too-complex'
  | 'body-too-deep'
  | 'body-too-large'
  | 'channel-not-found'
  | 'chat-busy'
  | 'chat-not-found'
  | 'connection-not-found'
  | 'damaged-in-queue'
  | 'data-damaged'
  | 'edited-arguments'
  | 'empty-message'
  | 'event-stream-only'
  | 'file-not-found'
  | 'file-too-large'
  | 'file-type'
  | 'files-too-large'
  | 'files-unavailable'
  | 'fixed-metadata'
  | 'for-a-person'
  | 'foreign-file'
  | 'foreign-origin'
  | 'foreign-redirect'
  | 'headers-too-large'
  | 'internal'
  | 'invalid-body'
  | 'invalid-days'
  | 'invalid-definition'
  | 'invalid-file'
  | 'invalid-http'
  | 'invalid-id'
  | 'invalid-json'
  | 'invalid-page'
  | 'invalid-request'
  | 'invalid-start-index'
  | 'invalid-tools'
  | 'invalid_starting_after'
  | 'json-required'
  | 'message-deleted'
  | 'message-id-taken'
  | 'message-not-found'
  | 'model_not_found'
  | 'name-taken'
  | 'no-proxy'
  | 'no-upgrade'
  | 'no-user-message'
  | 'no_user_message'
  | 'nobody-to-answer'
  | 'not-a-user-message'
  | 'not-in-a-channel'
  | 'not-waiting'
  | 'nothing-to-share'
  | 'output-not-waiting'
  | 'output-request-not-found'
  | 'output-too-large'
  | 'position-unknown'
  | 'query-too-long'
  | 'queue-full'
  | 'removed-from-queue'
  | 'request-timeout'
  | 'response_not_found'
  | 'route-not-found'
  | 'run-not-found'
  | 'session-not-found'
  | 'share-not-found'
  | 'server-busy'
  | 'too-slow'
  | 'sharing-off'
  | 'shutting-down'
  | 'sign-in-failed'
  | 'sign-in-required'
  | 'sign-in-timeout'
  | 'stale-version'
  | 'starting'
  | 'store-full'
  | 'store-gone'
  | 'store-unavailable'
  | 'store-unwritable'
  | 'stream-not-found'
  | 'ticket-not-valid'
  | 'ticket-too-large'
  | 'token-required'
  | 'tool-name-taken'
  | 'tool_call_not_found'
  | 'tool_call_not_waiting'
  | 'too-many-agents'
  | 'too-large-to-share'
  | 'too-many-files'
  | 'too-many-messages'
  | 'too-many-shares'
  | 'unknown-agent'
  | 'unknown-expectation'
  | 'unknown-file'
  | 'unknown-form'
  | 'unknown-message'
  | 'model-not-offered'
  | 'unknown-model'
  | 'unsupported-form'
  | 'unsupported-position'
  | 'unsupported_value'
  | 'wrong-host'
