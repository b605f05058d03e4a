import {
  type Chunk,
  type ChunkOf,
  isRecord,
  type OutputRequest,
  outputRequestIn,
  type QueryEvent,
  type QueryEventOf,
} from '@throughline/protocol'

interface QueryCall {
  readonly tool: string
  readonly title?: string | undefined
  /** The event that was sent when the input was complete; `undefined` before. */
  readonly call?: QueryEventOf<'tool_call'>
  /** The request for a person's decision. */
  readonly request?: QueryEventOf<'approval_request'>
  /** The request for an output from outside. */
  readonly output?: QueryEventOf<'output_request'>
  /** The person has decided, or the request has ended in another way. */
  readonly isDecided?: boolean
  /** Why a person did not allow the call. */
  readonly denial?: string | undefined
}

interface CallContext {
  /** The sub-agent whose call it is; `undefined` for calls of the master. */
  readonly agentName: string | undefined
  /** When the entry was written: the log's clock, in milliseconds. */
  readonly at: number
}

interface CallResult {
  readonly toolCallId: string
  readonly result: string
  readonly isError: boolean
}

/**
 * Tells about tool calls: one event when a call's input is complete, and one when the call has its result. A call whose
 * input is never complete gets no event at all.
 */
export class QueryCalls {
  /** The calls that have no result yet, by their ids. */
  readonly #open = new Map<string, QueryCall>()

  /** The requests on which a person has to decide now. */
  openRequests(): readonly QueryEventOf<'approval_request'>[] {
    return [...this.#open.values()].flatMap(({ request, isDecided = false }) =>
      request === undefined || isDecided ? [] : [request],
    )
  }

  /** The calls that wait for their outputs now. */
  openOutputs(): readonly QueryEventOf<'output_request'>[] {
    return [...this.#open.values()].flatMap(({ output }) => output ?? [])
  }

  /** Returns the events for a chunk of a tool call; nothing for other chunks. */
  write(chunk: Chunk, { agentName, at }: CallContext): readonly QueryEvent[] {
    const timestamp = new Date(at).toISOString()
    switch (chunk.type) {
      case 'tool-input-start':
        this.#open.set(chunk.toolCallId, { tool: chunk.toolName, title: chunk.title })
        return []
      case 'tool-input-available':
        return [this.#begin(chunk, agentName, timestamp)]
      case 'tool-input-error': {
        const { toolCallId, errorText: result } = chunk
        const begun = this.#begin(chunk, agentName, timestamp)
        return [begun, ...this.#end({ toolCallId, result, isError: true }, timestamp)]
      }
      case 'tool-output-available': {
        if (chunk.preliminary === true) return []
        const { toolCallId, output } = chunk
        return this.#end({ toolCallId, result: resultText(output), isError: false }, timestamp)
      }
      case 'tool-output-error': {
        const { toolCallId, errorText: result } = chunk
        return this.#end({ toolCallId, result, isError: true }, timestamp)
      }
      case 'tool-output-denied': {
        const { toolCallId } = chunk
        const result = denialText(this.#open.get(toolCallId)?.denial)
        return this.#end({ toolCallId, result, isError: true }, timestamp)
      }
      case 'tool-approval-request':
        return this.#request(chunk, timestamp)
      case 'tool-approval-response':
        return this.#decide(chunk, timestamp)
      case 'data-output-request':
        return this.#requestOutput(outputRequestIn(chunk), timestamp)
      default:
        return []
    }
  }

  #begin(
    chunk: ChunkOf<'tool-input-available' | 'tool-input-error'>,
    agentName: string | undefined,
    timestamp: string,
  ): QueryEvent {
    const { toolCallId, toolName: tool, input } = chunk
    const title = chunk.title ?? this.#open.get(toolCallId)?.title
    const call: QueryEventOf<'tool_call'> = {
      type: 'tool_call',
      tool,
      args: argsFrom(input),
      tool_call_id: toolCallId,
      display_name: agentName === undefined ? (title ?? '') : `${agentName}: ${title ?? tool}`,
      timestamp,
    }
    this.#open.set(toolCallId, { tool, title, call })
    return call
  }

  #end({ toolCallId, result, isError }: CallResult, timestamp: string): readonly QueryEvent[] {
    const call = this.#open.get(toolCallId)
    this.#open.delete(toolCallId)
    if (call?.call === undefined) return []
    return [
      {
        type: 'tool_result',
        tool: call.tool,
        result,
        tool_call_id: toolCallId,
        is_error: isError,
        screenshot_base64: null,
        timestamp,
      },
    ]
  }

  #request(
    { toolCallId, approvalId: approval_id }: ChunkOf<'tool-approval-request'>,
    timestamp: string,
  ): readonly QueryEvent[] {
    const known = this.#open.get(toolCallId)
    if (known?.call === undefined) return []
    const request = { ...known.call, type: 'approval_request', approval_id, timestamp } as const
    this.#open.set(toolCallId, { ...known, request })
    return [request]
  }

  #requestOutput(request: OutputRequest | undefined, timestamp: string): readonly QueryEvent[] {
    if (request === undefined) return []
    const { toolCallId, requestId: request_id, from } = request
    const known = this.#open.get(toolCallId)
    // The run asks again after a crash. The client knows the request.
    if (known?.call === undefined || known.output !== undefined) return []
    const output = { ...known.call, type: 'output_request', request_id, from, timestamp } as const
    this.#open.set(toolCallId, { ...known, output })
    return [output]
  }

  #decide(
    { approvalId: approval_id, approved, reason }: ChunkOf<'tool-approval-response'>,
    timestamp: string,
  ): readonly QueryEvent[] {
    const [tool_call_id, call] =
      [...this.#open].find(([, each]) => each.request?.approval_id === approval_id) ?? []
    if (tool_call_id === undefined || call === undefined) return []
    const denial = approved ? undefined : reason
    this.#open.set(tool_call_id, { ...call, isDecided: true, denial })
    return [
      {
        type: 'approval_response',
        approval_id,
        tool_call_id,
        approved,
        reason: reason ?? null,
        timestamp,
      },
    ]
  }
}

/** `args` is always an object, also for a tool that takes something else. */
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
