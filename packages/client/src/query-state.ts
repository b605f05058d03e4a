import type { QueryEvent, QueryEventOf, QueryUsage } from '@throughline/protocol/query-event'
import { type ApprovalRequests, requestsAfter } from './approval-requests.ts'
import { ChatError } from './chat-error.ts'

/** What an agent does besides writing. */
export type QueryActivity = QueryEventOf<'tool_call' | 'tool_result' | 'step_start' | 'step_complete'>

export type QueryTool =
  | { readonly status: 'running'; readonly call: QueryEventOf<'tool_call'> }
  /** The call is missing when it could not be read. */
  | {
      readonly status: 'success' | 'error'
      readonly call: QueryEventOf<'tool_call'> | undefined
      readonly result: QueryEventOf<'tool_result'>
    }
  /** The query ended first. */
  | { readonly status: 'error'; readonly call: QueryEventOf<'tool_call'>; readonly result: undefined }

/** What a page shows of a query. What an event does not touch keeps its identity. */
export interface QueryState {
  /** The text so far, and in the end the final one. */
  readonly response: string
  readonly isStreaming: boolean
  /** In the order in which they came. */
  readonly toolCalls: readonly QueryActivity[]
  /** By tool call id, in the order of the calls. */
  readonly tools: ReadonlyMap<string, QueryTool>
  /** The calls that wait for a person now: answer each with `approve`. */
  readonly approvals: ApprovalRequests
  readonly progress: { readonly started: number; readonly completed: number }
  readonly usage: QueryUsage | undefined
  readonly error: ChatError | undefined
  /** How the answer ended, when not by itself: somebody stopped it, or it reached a limit. */
  readonly cutShort: 'stopped' | 'limit' | undefined
  /** What there is to know about the end of the answer, in words: why it was cut short, or that it says nothing. */
  readonly statusText: string | undefined
  /** The session that was asked for, or the one that the server made, once it has told. */
  readonly sessionId: string | undefined
}

export const emptyQuery: QueryState = {
  response: '',
  isStreaming: false,
  toolCalls: [],
  tools: new Map(),
  approvals: [],
  progress: { started: 0, completed: 0 },
  usage: undefined,
  error: undefined,
  cutShort: undefined,
  statusText: undefined,
  sessionId: undefined,
}

export function foldQuery(state: QueryState, event: QueryEvent): QueryState {
  switch (event.type) {
    case 'text_delta':
      return { ...state, response: state.response + event.delta }
    case 'text':
      return { ...state, response: joined(state.response, event.content) }
    case 'tool_call':
      return withTool(withActivity(state, event), event.tool_call_id, { status: 'running', call: event })
    case 'tool_result':
      return withApprovals(withResult(withActivity(state, event), event), event)
    case 'approval_request':
    case 'approval_response':
      return withApprovals(state, event)
    case 'step_start':
      return withProgress(withActivity(state, event), { started: 1 })
    case 'step_complete':
      return withProgress(withActivity(state, event), { completed: 1 })
    case 'final':
      return ended({
        ...state,
        response: event.content,
        cutShort: event.status === 'empty' ? undefined : event.status,
        statusText: event.status_text,
      })
    case 'usage':
      return { ...state, usage: event.usage, sessionId: event.session_id }
    case 'error':
      return ended({ ...state, error: new ChatError('agent-failed', event.error) })
    default:
      event satisfies never
      return state
  }
}

/** Nothing more is awaited: what runs now will not be heard of again. */
export function ended(state: QueryState): QueryState {
  const approvals = state.approvals.length === 0 ? state.approvals : []
  let next: QueryState = { ...state, approvals, isStreaming: false }
  for (const [id, tool] of state.tools) {
    if (tool.status !== 'running') continue
    next = withTool(next, id, { status: 'error', call: tool.call, result: undefined })
  }
  return next
}

// Texts of several steps stand as in a final answer: a blank line between them.
function joined(before: string, text: string): string {
  return before === '' ? text : `${before}\n\n${text}`
}

function withActivity(state: QueryState, event: QueryActivity): QueryState {
  return { ...state, toolCalls: [...state.toolCalls, event] }
}

function withResult(state: QueryState, result: QueryEventOf<'tool_result'>): QueryState {
  const status = result.is_error ? 'error' : 'success'
  const call = state.tools.get(result.tool_call_id)?.call
  return withTool(state, result.tool_call_id, { status, call, result })
}

function withApprovals(state: QueryState, event: Parameters<typeof requestsAfter>[1]): QueryState {
  const approvals = requestsAfter(state.approvals, event)
  return approvals === state.approvals ? state : { ...state, approvals }
}

function withTool(state: QueryState, id: string, tool: QueryTool): QueryState {
  return { ...state, tools: new Map(state.tools).set(id, tool) }
}

// A step whose start could not be read is not counted when it completes: there is no more than all.
function withProgress(
  state: QueryState,
  { started = 0, completed = 0 }: { readonly started?: number; readonly completed?: number },
): QueryState {
  const { progress } = state
  const all = progress.started + started
  return {
    ...state,
    progress: { started: all, completed: Math.min(progress.completed + completed, all) },
  }
}
