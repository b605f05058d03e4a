import { FoldError } from '@throughline/protocol'

/** What went wrong. The message is for a person, `code` is for programs. */
export class ChatError extends Error {
  override readonly name = 'ChatError'
  /**
   * `network`: the server cannot be reached. `broken-stream`: the stream cannot be read, or it broke off and could not
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
  const problem = await response.json().catch(() => undefined)
  const { code = 'http', detail = `The server responded with status ${response.status}.` } = problem ?? {}
  return new ChatError(String(code), String(detail), response.status)
}

/** Returns any failure as a `ChatError`. An error that is not known counts as a failure of the network. */
export function asChatError(error: unknown): ChatError {
  if (error instanceof ChatError) return error
  if (error instanceof FoldError)
    return new ChatError('broken-stream', `The stream cannot be read. ${error.message}`)
  return new ChatError('network', 'The server cannot be reached. Check the connection.')
}
