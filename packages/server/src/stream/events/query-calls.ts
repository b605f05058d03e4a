import { type ChunkOf, isRecord } from '@throughline/protocol/chunk'
import type { Entry } from '@throughline/protocol/entry'
import type { QueryEvent, QueryEventOf } from '@throughline/protocol/query-event'

/** The tool calls that have no result yet, by their ids. */
export type QueryCalls = ReadonlyMap<string, QueryCall>

interface QueryCall {
  readonly tool: string
  readonly title?: string | undefined
  /** What was told of it when its input was complete; nothing before. */
  readonly call?: QueryEventOf<'tool_call'>
  /** What a person was asked. */
  readonly request?: QueryEventOf<'approval_request'>
  /** The person has answered, or nobody waits for it any more. */
  readonly isAnswered?: boolean
  /** Why a person did not allow it. */
  readonly denial?: string | undefined
}

interface ProjectedCalls {
  readonly calls: QueryCalls
  readonly events: readonly QueryEvent[]
}

/**
 * Tells of tool calls: each once when its input is complete, and once when it has its result. One that never got that
 * far is not told of at all. `agentName`: the sub-agent whose call it is.
 */
export function projectCall(
  calls: QueryCalls,
  { chunk, at }: Entry,
  agentName: string | undefined,
): ProjectedCalls {
  const timestamp = new Date(at).toISOString()
  switch (chunk.type) {
    case 'tool-input-start': {
      const { toolCallId, toolName: tool, title } = chunk
      return { calls: withCall(calls, toolCallId, { tool, title }), events: [] }
    }
    case 'tool-input-available':
      return called(calls, chunk, { agentName, timestamp })
    case 'tool-input-error': {
      const { toolCallId, errorText } = chunk
      const begun = called(calls, chunk, { agentName, timestamp })
      const ended = answered(begun.calls, { toolCallId, result: errorText, isError: true, timestamp })
      return { calls: ended.calls, events: [...begun.events, ...ended.events] }
    }
    case 'tool-output-available': {
      if (chunk.preliminary === true) return { calls, events: [] }
      const { toolCallId, output } = chunk
      return answered(calls, { toolCallId, result: resultText(output), isError: false, timestamp })
    }
    case 'tool-output-error': {
      const { toolCallId, errorText } = chunk
      return answered(calls, { toolCallId, result: errorText, isError: true, timestamp })
    }
    case 'tool-output-denied': {
      const { toolCallId } = chunk
      const result = denialText(calls.get(toolCallId)?.denial)
      return answered(calls, { toolCallId, result, isError: true, timestamp })
    }
    case 'tool-approval-request':
      return requested(calls, chunk, timestamp)
    case 'tool-approval-response':
      return decided(calls, chunk, timestamp)
    default:
      return { calls, events: [] }
  }
}

function called(
  calls: QueryCalls,
  chunk: ChunkOf<'tool-input-available' | 'tool-input-error'>,
  { agentName, timestamp }: { readonly agentName: string | undefined; readonly timestamp: string },
): ProjectedCalls {
  const { toolCallId, toolName: tool, input } = chunk
  const known = calls.get(toolCallId)
  const title = chunk.title ?? known?.title
  const display_name = agentName === undefined ? (title ?? '') : `${agentName}: ${title ?? tool}`
  const call: QueryEventOf<'tool_call'> = {
    type: 'tool_call',
    tool,
    args: argsFrom(input),
    tool_call_id: toolCallId,
    display_name,
    timestamp,
  }
  return { calls: withCall(calls, toolCallId, { tool, title, call }), events: [call] }
}

interface CallResult {
  readonly toolCallId: string
  readonly result: string
  readonly isError: boolean
  readonly timestamp: string
}

function answered(calls: QueryCalls, { toolCallId, result, isError, timestamp }: CallResult): ProjectedCalls {
  const call = calls.get(toolCallId)
  if (call === undefined) return { calls, events: [] }
  const open = new Map(calls)
  open.delete(toolCallId)
  if (call.call === undefined) return { calls: open, events: [] }
  const event: QueryEvent = {
    type: 'tool_result',
    tool: call.tool,
    result,
    tool_call_id: toolCallId,
    is_error: isError,
    screenshot_base64: null,
    timestamp,
  }
  return { calls: open, events: [event] }
}

function requested(
  calls: QueryCalls,
  { toolCallId, approvalId: approval_id }: ChunkOf<'tool-approval-request'>,
  timestamp: string,
): ProjectedCalls {
  const known = calls.get(toolCallId)
  if (known?.call === undefined) return { calls, events: [] }
  const request = { ...known.call, type: 'approval_request', approval_id, timestamp } as const
  return { calls: withCall(calls, toolCallId, { ...known, request }), events: [request] }
}

function decided(
  calls: QueryCalls,
  { approvalId: approval_id, approved, reason }: ChunkOf<'tool-approval-response'>,
  timestamp: string,
): ProjectedCalls {
  const [tool_call_id, call] = [...calls].find(([, each]) => each.request?.approval_id === approval_id) ?? []
  if (tool_call_id === undefined || call === undefined) return { calls, events: [] }
  const denial = approved ? undefined : reason
  const response: QueryEvent = {
    type: 'approval_response',
    approval_id,
    tool_call_id,
    approved,
    reason: reason ?? null,
    timestamp,
  }
  return { calls: withCall(calls, tool_call_id, { ...call, isAnswered: true, denial }), events: [response] }
}

/** What people are being asked now. */
export function openRequests(calls: QueryCalls): readonly QueryEventOf<'approval_request'>[] {
  return [...calls.values()].flatMap(({ request, isAnswered = false }) =>
    request === undefined || isAnswered ? [] : [request],
  )
}

function withCall(calls: QueryCalls, toolCallId: string, call: QueryCall): QueryCalls {
  return new Map(calls).set(toolCallId, call)
}

/** Arguments are an object, also for a tool that takes something else. */
function argsFrom(input: unknown): Readonly<Record<string, unknown>> {
  if (isRecord(input)) return input
  return input === undefined || input === null ? {} : { input }
}

function resultText(output: unknown): string {
  return typeof output === 'string' ? output : (JSON.stringify(output) ?? '')
}

function denialText(reason: string | undefined): string {
  return reason ? `Not allowed: ${reason}` : 'This call was not allowed.'
}
