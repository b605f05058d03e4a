import { FoldError } from '@throughline/protocol/fold-error'

/** What went wrong, in words for a person; `code` is for programs. */
export class ChatError extends Error {
  override readonly name = 'ChatError'
  /**
   * `network`: nobody answered. `broken-stream`: the stream cannot be read, or it broke off and could not be got back.
   * `agent-failed`: the agent's own error. Others come from the server.
   */
  readonly code: string
  /** The server's HTTP status, when it answered. */
  readonly status: number | undefined

  constructor(code: string, message: string, status?: number) {
    super(message)
    this.code = code
    this.status = status
  }

  /** Trying the same again may help. */
  get isTemporary(): boolean {
    const { code, status = 0 } = this
    return code === 'network' || status >= 500 || status === 429
  }
}

/** The error that a problem answer tells of. */
export async function errorFrom(response: Response): Promise<ChatError> {
  const problem = await response.json().catch(() => undefined)
  const { code = 'http', detail = `The server answered ${response.status}.` } = problem ?? {}
  return new ChatError(String(code), String(detail), response.status)
}

/** Any failure as a `ChatError`. */
export function asChatError(error: unknown): ChatError {
  if (error instanceof ChatError) return error
  if (error instanceof FoldError)
    return new ChatError('broken-stream', `The stream cannot be read. ${error.message}`)
  return new ChatError('network', 'The server cannot be reached. Check the connection.')
}
