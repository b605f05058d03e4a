import type { QueryEvent, QueryEventOf } from '@throughline/protocol/query-event'
import { callBack } from './call-back.ts'
import { emptyQuery, foldQuery } from './query-state.ts'
import { type QueryStreamOptions, queryStream } from './query-stream.ts'

export interface QueryCallbacks {
  /** A piece of text, and all of it so far. A piece may be part of a word, or empty. */
  readonly onTextDelta?: ((delta: string, full: string) => void) | undefined
  /** A whole text, on streams of level `step`. */
  readonly onText?: ((event: QueryEventOf<'text'>) => void) | undefined
  readonly onToolCall?: ((event: QueryEventOf<'tool_call'>) => void) | undefined
  readonly onToolResult?: ((event: QueryEventOf<'tool_result'>) => void) | undefined
  readonly onStepStart?: ((event: QueryEventOf<'step_start'>) => void) | undefined
  readonly onStepComplete?: ((event: QueryEventOf<'step_complete'>) => void) | undefined
  readonly onFinal?: ((event: QueryEventOf<'final'>) => void) | undefined
  readonly onUsage?: ((event: QueryEventOf<'usage'>) => void) | undefined
  /** The agent failed. What it has said until then stands. */
  readonly onError?: ((event: QueryEventOf<'error'>) => void) | undefined
  /** An event could not be read and was skipped; by default the console is told. */
  readonly onBadEvent?: ((problem: string, raw: string) => void) | undefined
}

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
  for await (const event of queryStream({ message, sessionId }, { ...options, onBadEvent })) {
    // It may have been aborted while the event was on its way to here.
    options.signal?.throwIfAborted()
    state = foldQuery(state, event)
    tell(callbacks, event, state.response)
  }
  return state.response
}

function tell(callbacks: QueryCallbacks, event: QueryEvent, full: string): void {
  switch (event.type) {
    case 'text_delta':
      return callBack(callbacks.onTextDelta, event.delta, full)
    case 'text':
      return callBack(callbacks.onText, event)
    case 'tool_call':
      return callBack(callbacks.onToolCall, event)
    case 'tool_result':
      return callBack(callbacks.onToolResult, event)
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
