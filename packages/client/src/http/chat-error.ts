import { FoldError } from '@throughline/protocol'

/** What went wrong. The message is for a person, `code` is for programs. */
export class ChatError extends Error {
  override readonly name = 'ChatError'
  /**
   * `network`: the server cannot be reached. `bad-data`: a response is not what the server sends. `broken-stream`: the stream cannot be read, or it broke off and could not
   * be continued. `agent-failed`: the agent reported an error. Other codes come from the server.
   */
  readonly code: string
  /** The HTTP status, when there was a response. */
  readonly status: number | undefined

  constructor(code: string, message: string, status?: number) {
    super(message)
    this.code = code
    this.status = status
  }

  /** Whether it makes sense to try the same request again. */
  get isTemporary(): boolean {
    const { code, status = 0 } = this
    return code === 'network' || status >= 500 || status === 429
  }
}

/** Returns the error that a response of the server describes. */
export async function errorFrom(response: Response): Promise<ChatError> {
  // A proxy in between may send something else than JSON.
  const problem = await response.json().catch(() => undefined)
  const { code = 'http', detail = `The server responded with status ${response.status}.` } = problem ?? {}
  return new ChatError(String(code), String(detail), response.status)
}

/** Throws a `ChatError` when a response says that it is no event stream, such as the page of a proxy. */
export function assertEvents({ headers, status }: Response): void {
  const type = headers.get('content-type') ?? 'text/event-stream'
  if (!type.includes('text/event-stream')) throw badData(`it is ${type}, not an event stream`, status)
}

/** Returns the error for a response that is not what the server sends. `problem` says what is wrong with it. */
export function badData(problem: string, status?: number): ChatError {
  return new ChatError(
    'bad-data',
    `The response cannot be read: ${problem}. Try again. If it stays so, check the server, and what is between it and this page.`,
    status,
  )
}

/** Returns any failure as a `ChatError`. An error that is not known counts as a failure of the network. */
export function asChatError(error: unknown): ChatError {
  if (error instanceof ChatError) return error
  if (error instanceof FoldError)
    return new ChatError('broken-stream', `The stream cannot be read. ${error.message}`)
  // The server, or a proxy in its place, was reached.
  if (error instanceof SyntaxError) return badData('it is not JSON')
  return new ChatError('network', 'The server cannot be reached. Check the connection.')
}

/**
 * Returns whether sending the same request again may help: the server could not be reached, or it had an error of its
 * own. When the server refuses a request, it would refuse it again.
 */
export function isCut({ code, status = 0 }: ChatError): boolean {
  return code === 'network' || status >= 500
}
