import type { QueryEvent, QueryEventOf } from '@throughline/protocol'
import type { ToolOutput } from '../chat/chat-api.ts'
import { callBack } from '../page/callbacks.ts'
import { emptyQuery, foldQuery } from './query-state.ts'
import { type QueryStreamOptions, queryStream } from './query-stream.ts'
import { decideApproval, giveOutput } from './session-requests.ts'

/**
 * Functions that are called with each event of an answer, as it comes. docs/event-api.md describes the events. An error
 * in one of them is reported on the console, and the query goes on.
 */
export interface QueryCallbacks {
  /** A piece of the answer's text, and all of the text so far. A piece may be part of a word, or empty. */
  readonly onTextDelta?: ((delta: string, full: string) => void) | undefined
  /** A whole text part. Only with `level: 'step'`. */
  readonly onText?: ((event: QueryEventOf<'text'>) => void) | undefined
  /** A tool was called. */
  readonly onToolCall?: ((event: QueryEventOf<'tool_call'>) => void) | undefined
  /** A tool has a result, or has failed. */
  readonly onToolResult?: ((event: QueryEventOf<'tool_result'>) => void) | undefined
  /** A tool call waits for approval. Call `decide` once, now or later. The agent waits until then. */
  readonly onApprovalRequest?:
    | ((event: QueryEventOf<'approval_request'>, decide: DecideRequest) => void)
    | undefined
  /** A tool call waits for its output. Call `give` once, now or later. The agent waits until then. */
  readonly onOutputRequest?: ((event: QueryEventOf<'output_request'>, give: GiveRequest) => void) | undefined
  /** A tool call no longer waits for approval, whoever has decided. */
  readonly onApprovalResponse?: ((event: QueryEventOf<'approval_response'>) => void) | undefined
  /** A tool call begins, as progress. In this API every tool call is a step; the steps of all agents are numbered. */
  readonly onStepStart?: ((event: QueryEventOf<'step_start'>) => void) | undefined
  /** A tool call has ended, as progress. */
  readonly onStepComplete?: ((event: QueryEventOf<'step_complete'>) => void) | undefined
  /** The answer is complete. The event has its whole text. */
  readonly onFinal?: ((event: QueryEventOf<'final'>) => void) | undefined
  /** How many tokens the answer has used, and their cost. */
  readonly onUsage?: ((event: QueryEventOf<'usage'>) => void) | undefined
  /** The agent failed. The text that it has written until then stays. */
  readonly onError?: ((event: QueryEventOf<'error'>) => void) | undefined
  /** An event could not be read and was skipped. Default: it is reported on the console. */
  readonly onBadEvent?: ((problem: string, raw: string) => void) | undefined
}

/** Approves a tool call or denies it. The agent is told the reason. Rejects with a `ChatError` if it cannot be sent. */
export type DecideRequest = (approved: boolean, reason?: string) => Promise<void>

/** Gives a tool call its output, or says why there is none. Rejects with a `ChatError` if it cannot be sent. */
export type GiveRequest = (output: ToolOutput) => Promise<void>

/** The options of `queryAgent`. A bad event is reported to `onBadEvent` of the callbacks. */
export type QueryAgentOptions = Omit<QueryStreamOptions, 'onBadEvent'>

/**
 * Sends a message to an agent, and calls the callbacks with each event of its answer. Without a `sessionId`, a new
 * session is created. Resolves with the text of the answer. When the agent failed, that is the text it has written
 * until then.
 *
 * Rejects with a `ChatError` when the server refuses, or when the answer broke off and could not be continued. Rejects
 * with the signal's reason (by default an `AbortError`) when it aborts.
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
  const decideOn = ({ approval_id: approvalId }: QueryEventOf<'approval_request'>): DecideRequest => {
    return (approved, reason) => decideApproval({ sessionId: session, approvalId, approved, reason }, options)
  }
  const giveTo = ({ request_id: requestId }: QueryEventOf<'output_request'>): GiveRequest => {
    return output => giveOutput({ sessionId: session, requestId, output }, options)
  }
  for await (const event of queryStream({ message, sessionId }, { ...options, onBadEvent, onSession })) {
    // The signal may have aborted since the event was yielded.
    options.signal?.throwIfAborted()
    state = foldQuery(state, event)
    if (event.type === 'approval_request') callBack(callbacks.onApprovalRequest, event, decideOn(event))
    else if (event.type === 'output_request') callBack(callbacks.onOutputRequest, event, giveTo(event))
    else report(callbacks, event, state.response)
  }
  return state.response
}

type ReportedEvent = Exclude<QueryEvent, { type: 'approval_request' | 'output_request' }>

function report(callbacks: QueryCallbacks, event: ReportedEvent, full: string): void {
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
