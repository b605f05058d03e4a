import { serverSentence } from '@throughline/protocol/internal'

/** An agent has yielded something that is not an agent event. Nothing of it was written. */
export class AgentEventError extends Error {
  override readonly name = 'AgentEventError'
  readonly code = 'invalid-event'
  /** What is wrong, for a person. It names types and fields, never values. */
  readonly problem: string

  constructor(problem: string, options?: ErrorOptions) {
    super(`${problem}. Ensure that the agent yields nothing but values of the type AgentEvent.`, options)
    this.problem = problem
  }
}

/**
 * A tool was called, but its agent does not yield the `tool-call` event of the call. The tool has not begun: readers look
 * for what a tool writes under its call.
 */
export class MissingToolCallError extends Error {
  override readonly name = 'MissingToolCallError'
  readonly code = 'missing-tool-call'
  readonly toolName: string
  readonly toolCallId: string

  constructor(toolName: string, toolCallId: string) {
    super(
      `The tool "${toolName}" was called with the id "${toolCallId}", but its agent has not yielded a "tool-call" event ` +
        "with this id. Yield it before you call the tool: { type: 'tool-call', toolCallId, toolName, input }.",
    )
    this.toolName = toolName
    this.toolCallId = toolCallId
  }
}

/** A guardrail of the agent has ended the answer. The message is for the person who reads the answer. */
export class GuardrailError extends Error {
  override readonly name = 'GuardrailError'

  constructor(refused: 'question' | 'answer' | 'tool', options?: ErrorOptions) {
    super(serverSentence(`guardrail-${refused}`), options)
  }
}

/** A graph of LangGraph waits for something that nobody can give, or has given. The message is for people. */
export class GraphWaitsError extends Error {
  override readonly name = 'GraphWaitsError'
  readonly code = 'graph-waits'

  /** `why`: default is what graphs wait for that cannot be asked here. */
  constructor(why = cannotBeAsked) {
    super(why)
  }
}

const cannotBeAsked =
  'The graph waits at a breakpoint, or for a decision that cannot be asked here. ' +
  'Use interrupt() with a question, or humanInTheLoopMiddleware with "approve" and "reject".'

/** What went wrong with a service. docs/guides/remote-agents.md explains the cases. */
type RemoteServiceErrorCode =
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
