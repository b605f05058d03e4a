import type { ProblemCode } from './problem-code.ts'

/** The body of an HTTP response that reports an error: problem details (RFC 9457). */
export interface Problem {
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
