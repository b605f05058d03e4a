import type { ToolCall } from '../agent/agent-event.ts'

/** The tool calls of one message. */
export interface ToolCalls {
  /** The newest call of each id that the agent uses. */
  readonly known: ReadonlyMap<string, KnownTool>
  /** The ids of all calls on the stream. */
  readonly ids: ReadonlySet<string>
  /** Stands before every id on the stream, so that no two agents of a run use the same id. */
  readonly prefix: string
}

/** A tool call that has begun. */
export interface KnownTool {
  /** The id on the stream: the agent's own id, or a similar one when another call has it. */
  readonly toolCallId: string
  readonly toolName: string
  /** As it was when the call began. Readers keep the parts of dynamic tools apart from others. */
  readonly dynamic: boolean | undefined
  readonly state: 'input' | 'called' | 'done'
  /** Set when a person was asked and has not approved. Readers accept only a denial as the end of such a call. */
  readonly approval?: { readonly id: string; readonly isDecided: boolean } | undefined
}

/** The tool calls at the beginning of a message: none. */
export const noToolCalls: ToolCalls = { known: new Map(), ids: new Set(), prefix: '' }

/** Returns the id of a call on the stream. */
export function streamedCallId({ known, prefix }: ToolCalls, toolCallId: string): string {
  return known.get(toolCallId)?.toolCallId ?? prefix + toolCallId
}

/** Returns the calls after the approval of one of them has changed. */
export function withApproval(calls: ToolCalls, id: string, approval: KnownTool['approval']): ToolCalls {
  const tool = calls.known.get(id)
  return tool === undefined ? calls : { ...calls, known: new Map(calls.known).set(id, { ...tool, approval }) }
}

/** Returns the calls with a new state of one call. A call with the id of a finished one is another call and gets a new id. */
export function know(
  calls: ToolCalls,
  call: Pick<ToolCall, 'toolCallId' | 'toolName' | 'dynamic'>,
  state: KnownTool['state'],
): { readonly calls: ToolCalls; readonly tool: KnownTool } {
  const known = calls.known.get(call.toolCallId)
  const { toolName } = call
  const { toolCallId, dynamic, approval } =
    known === undefined || known.state === 'done'
      ? { toolCallId: freeId(calls, call.toolCallId), dynamic: call.dynamic, approval: undefined }
      : known
  const tool = { toolCallId, toolName, dynamic, state, approval }
  const ids = calls.ids.has(toolCallId) ? calls.ids : new Set(calls.ids).add(toolCallId)
  return { tool, calls: { ...calls, ids, known: new Map(calls.known).set(call.toolCallId, tool) } }
}

function freeId({ ids, prefix }: ToolCalls, wanted: string): string {
  let id = prefix + wanted
  for (let count = 2; ids.has(id); count += 1) id = `${prefix}${wanted}-${count}`
  return id
}
