import type { QueryEvent, QueryEventOf, QueryUsage } from '@throughline/protocol'
import { type List, listToArray, memoizeByIdentity } from '@throughline/protocol/internal'
import { ChatError } from '../http/chat-error.ts'

/** An event about a tool call: the call, its result, or its progress. The event API calls the progress a step. */
type QueryActivity = QueryEventOf<'tool_call' | 'tool_result' | 'step_start' | 'step_complete'>

/** A tool call, with its result as soon as there is one. */
type QueryTool =
  | { readonly status: 'running'; readonly call: QueryEventOf<'tool_call'> }
  /** The call is `undefined` when its event could not be read. */
  | {
      readonly status: 'success' | 'error'
      readonly call: QueryEventOf<'tool_call'> | undefined
      readonly result: QueryEventOf<'tool_result'>
    }
  /** The query ended before there was a result. */
  | { readonly status: 'error'; readonly call: QueryEventOf<'tool_call'>; readonly result: undefined }

/** What a page shows of a query. Fields that an event does not change keep their identity. */
export interface QueryState {
  /** The text of the answer so far; after the end, the final text. */
  readonly response: string
  /** Whether more is to come. */
  readonly isStreaming: boolean
  /** The events about tool calls, in the order in which they came. */
  readonly toolCalls: readonly QueryActivity[]
  /** The tool calls by tool call id, in the order of the calls. */
  readonly tools: ReadonlyMap<string, QueryTool>
  /** The tool calls that wait for approval now. Decide on each with `approve`. */
  readonly approvals: ApprovalRequests
  /** How many tool calls of all agents have begun, and how many of them have ended. */
  readonly progress: { readonly started: number; readonly completed: number }
  /** Tokens and cost; `undefined` until the server has sent them. */
  readonly usage: QueryUsage | undefined
  /** Why there is no complete answer: the agent failed, or it could not be reached. */
  readonly error: ChatError | undefined
  /** Why the answer is not complete although nothing failed: somebody stopped it, or it reached a limit. */
  readonly cutShort: 'stopped' | 'limit' | undefined
  /** A sentence of the server about the end of the answer: why it was cut short, or that it has no text. */
  readonly statusText: string | undefined
  /** The id of the session: the one that was given, or a new one as soon as the server has sent it. */
  readonly sessionId: string | undefined
}

/** The state before anything was asked. */
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

/** Folds one event into the state, and returns the new state. Pure. */
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
    // Only whoever runs the tool needs to know. For people, the call is at work.
    case 'output_request':
      return state
    default:
      event satisfies never
      return state
  }
}

/** Returns the state after the end of a query. Tools that still run get the status `error`; no call waits any more. */
export function ended(state: QueryState): QueryState {
  const approvals = state.approvals.length === 0 ? state.approvals : []
  let next: QueryState = { ...state, approvals, isStreaming: false }
  for (const [id, tool] of state.tools) {
    if (tool.status !== 'running') continue
    next = withTool(next, id, { status: 'error', call: tool.call, result: undefined })
  }
  return next
}

// A blank line stands between two text parts, as in the final text.
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

// When a `step_start` could not be read, its `step_complete` does not count. So `completed` never exceeds `started`.
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

/** The tool calls that wait for approval, in the order of the requests. */
type ApprovalRequests = readonly QueryEventOf<'approval_request'>[]

type ApprovalEvent = QueryEventOf<'approval_request' | 'approval_response' | 'tool_result'>

/**
 * Returns the open requests after an event. A call that has a result no longer waits, even if the event with the
 * decision was lost. Returns the same array when nothing changes.
 */
function requestsAfter(requests: ApprovalRequests, event: ApprovalEvent): ApprovalRequests {
  switch (event.type) {
    case 'approval_request':
      return [...requests, event]
    case 'approval_response':
      return without(requests, ({ approval_id }) => approval_id === event.approval_id)
    case 'tool_result':
      return without(requests, ({ tool_call_id }) => tool_call_id === event.tool_call_id)
  }
}

function without(
  requests: ApprovalRequests,
  isOver: (request: ApprovalRequests[number]) => boolean,
): ApprovalRequests {
  return requests.some(isOver) ? requests.filter(request => !isOver(request)) : requests
}

/** Returns the events of a list as an array: the same array for the same list. */
export const eventsOf = memoizeByIdentity((list: List<QueryEvent>): readonly QueryEvent[] =>
  listToArray(list),
)
