import type { QueryEvent, QueryEventOf } from '@throughline/protocol/query-event'
import { callBack } from './call-back.ts'
import { decideApproval } from './decide-approval.ts'
import { emptyQuery, foldQuery } from './query-state.ts'
import { type QueryStreamOptions, queryStream } from './query-stream.ts'

export interface QueryCallbacks {
  /** A piece of text, and all of it so far. A piece may be part of a word, or empty. */
  readonly onTextDelta?: ((delta: string, full: string) => void) | undefined
  /** A whole text, on streams of level `step`. */
  readonly onText?: ((event: QueryEventOf<'text'>) => void) | undefined
  readonly onToolCall?: ((event: QueryEventOf<'tool_call'>) => void) | undefined
  readonly onToolResult?: ((event: QueryEventOf<'tool_result'>) => void) | undefined
  /** A call waits until a person allows it. Call `answer`, once, now or later: until then the agent waits. */
  readonly onApprovalRequest?:
    | ((event: QueryEventOf<'approval_request'>, answer: DecideRequest) => void)
    | undefined
  /** A call waits no more, whoever has decided. */
  readonly onApprovalResponse?: ((event: QueryEventOf<'approval_response'>) => void) | undefined
  readonly onStepStart?: ((event: QueryEventOf<'step_start'>) => void) | undefined
  readonly onStepComplete?: ((event: QueryEventOf<'step_complete'>) => void) | undefined
  readonly onFinal?: ((event: QueryEventOf<'final'>) => void) | undefined
  readonly onUsage?: ((event: QueryEventOf<'usage'>) => void) | undefined
  /** The agent failed. What it has said until then stands. */
  readonly onError?: ((event: QueryEventOf<'error'>) => void) | undefined
  /** An event could not be read and was skipped; by default the console is told. */
  readonly onBadEvent?: ((problem: string, raw: string) => void) | undefined
}

/** Allows a call or not; the agent is told the reason. Rejects with a `ChatError` when the answer did not arrive. */
export type DecideRequest = (approved: boolean, reason?: string) => Promise<void>

export type QueryAgentOptions = Omit<QueryStreamOptions, 'onBadEvent'>

/**
 * Asks the agent and tells what it does as it happens. Resolves to the whole answer, or to what there is of it when
 * the agent failed. Rejects with a `ChatError` when there is no answer to the end, and with the signal's reason
 * (an `AbortError`, if nobody gave another) when it is aborted.
 */
export async function queryAgent(
  message: string,
  sessionId: string | null | undefined,
  callbacks: QueryCallbacks = {},
  options: QueryAgentOptions = {},
): Promise<string> {
  const { onBadEvent } = callbacks
  let state = emptyQuery
  let session = sessionId ?? ''
  const onSession = (id: string) => {
    session = id
    callBack(options.onSession, id)
  }
  const answerTo = ({ approval_id: approvalId }: QueryEventOf<'approval_request'>): DecideRequest => {
    return (approved, reason) => decideApproval({ sessionId: session, approvalId, approved, reason }, options)
  }
  for await (const event of queryStream({ message, sessionId }, { ...options, onBadEvent, onSession })) {
    // It may have been aborted while the event was on its way to here.
    options.signal?.throwIfAborted()
    state = foldQuery(state, event)
    if (event.type === 'approval_request') callBack(callbacks.onApprovalRequest, event, answerTo(event))
    else tell(callbacks, event, state.response)
  }
  return state.response
}

type ToldEvent = Exclude<QueryEvent, { type: 'approval_request' }>

function tell(callbacks: QueryCallbacks, event: ToldEvent, full: string): void {
  switch (event.type) {
    case 'text_delta':
      return callBack(callbacks.onTextDelta, event.delta, full)
    case 'text':
      return callBack(callbacks.onText, event)
    case 'tool_call':
      return callBack(callbacks.onToolCall, event)
    case 'tool_result':
      return callBack(callbacks.onToolResult, event)
    case 'approval_response':
      return callBack(callbacks.onApprovalResponse, event)
    case 'step_start':
      return callBack(callbacks.onStepStart, event)
    case 'step_complete':
      return callBack(callbacks.onStepComplete, event)
    case 'final':
      return callBack(callbacks.onFinal, event)
    case 'usage':
      return callBack(callbacks.onUsage, event)
    case 'error':
      return callBack(callbacks.onError, event)
    default:
      event satisfies never
  }
}
