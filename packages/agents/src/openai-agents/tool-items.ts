import { isRecord } from '@throughline/protocol'
import { parseJson } from '@throughline/protocol/internal'
import type { AgentEvent, ToolCall } from '../agent/agent-event.ts'
import type { UncheckedFields } from '../values/fields.ts'
import type { ApprovalItem, RunItem } from './streamed-run.ts'

/**
 * Returns the events of a call in an item; `undefined` when the item is none. A handoff to another agent is a call, too.
 * `show` returns the call with the id under which it is shown.
 */
export function eventsOfCall(
  { type, rawItem }: RunItem,
  show: (call: ToolCall) => ToolCall,
): readonly AgentEvent[] | undefined {
  if (type !== 'tool_call_item' && type !== 'handoff_call_item') return undefined
  const call = readCall(rawItem)
  if (call === undefined || !isRecord(rawItem) || isAboutCalls(rawItem)) return []
  const shown = show(call)
  return [{ type: 'tool-call', ...shown }, ...(isHosted(rawItem) ? hostedResult(rawItem, shown) : [])]
}

/** Returns the call that waits for an approval; `undefined` when it cannot be read. */
export function waitingCall({ rawItem }: ApprovalItem): ToolCall | undefined {
  return readCall(rawItem)
}

export type ToolResult = Extract<AgentEvent, { type: 'tool-result' | 'tool-error' }>

/** Returns the result in an item; `undefined` when the item is none. */
export function resultInItem({ type, rawItem, output }: RunItem): ToolResult | undefined {
  if (type !== 'tool_call_output_item' && type !== 'handoff_output_item') return undefined
  const call = readCall(rawItem)
  if (call === undefined) return undefined
  const value = type === 'handoff_output_item' ? handoffOutput(rawItem) : output
  if (typeof value === 'string' && isErrorText(value))
    return { type: 'tool-error', ...call, errorText: value }
  return { type: 'tool-result', ...call, output: value }
}

// The SDK has no mark for a tool that failed. Unless the tool has an `errorFunction`, its output is then one of these texts.
function isErrorText(output: string): boolean {
  return /^(An error occurred while (running the tool|parsing tool arguments)\.|Tool '.+' timed out after \d+ms\.$)/.test(
    output,
  )
}

/** Reads a call, or the result of one: both name the call. */
function readCall(rawItem: unknown): ToolCall | undefined {
  if (!isRecord(rawItem)) return undefined
  const toolCallId = rawItem['callId'] ?? rawItem['id']
  if (typeof toolCallId !== 'string' || toolCallId === '') return undefined
  const fields = isHosted(rawItem) ? hostedFields(rawItem) : rawItem
  return {
    toolCallId,
    toolName: toolNameOf(fields),
    input: inputOf(fields),
    ...(isHosted(rawItem) ? { providerExecuted: true } : {}),
  }
}

/** The SDK's own tools, such as `shell_call`, have no name but their type. */
function toolNameOf({ name, type }: UncheckedFields): string {
  if (typeof name === 'string' && name !== '') return name
  return typeof type === 'string' ? type.replace(/_call(_output|_result)?$/, '') : 'tool'
}

function inputOf({ arguments: text, action, actions, operation, code }: UncheckedFields): unknown {
  if (typeof text !== 'string') return action ?? actions ?? operation ?? code ?? {}
  return text.trim() === '' ? {} : (parseJson(text) ?? text)
}

/** The output of a handoff is a JSON text with the name of the agent that goes on. */
function handoffOutput(rawItem: unknown): unknown {
  const output = isRecord(rawItem) ? rawItem['output'] : undefined
  const text = isRecord(output) ? output['text'] : output
  return typeof text === 'string' ? (parseJson(text) ?? text) : output
}

// Hosted tools run at the provider: web search, pictures, MCP servers that the provider calls, …

/** Returns whether this is the call of a hosted tool. */
function isHosted(rawItem: UncheckedFields): boolean {
  return rawItem['type'] === 'hosted_tool_call'
}

/** Returns the fields of a hosted call as other calls have them. The provider's own fields say which MCP tool it is. */
function hostedFields(rawItem: UncheckedFields): UncheckedFields {
  const own = providerData(rawItem)
  return {
    ...rawItem,
    name: own['name'] ?? rawItem['name'],
    arguments: rawItem['arguments'] ?? own['arguments'],
    action: own['action'],
  }
}

/** Returns whether a hosted call is only about other calls: it lists tools, or asks for an approval. */
function isAboutCalls(rawItem: UncheckedFields): boolean {
  return isHosted(rawItem) && aboutCalls.has(String(providerData(rawItem)['type'] ?? rawItem['name']))
}

const aboutCalls = new Set(['mcp_list_tools', 'mcp_approval_request', 'mcp_approval_response'])

/** Returns what the provider says of a call that it has run. A picture that it made is a file of the answer. */
function hostedResult(rawItem: UncheckedFields, call: ToolCall): readonly AgentEvent[] {
  const { name, output, status } = rawItem
  const { error, output_format: format = 'png' } = providerData(rawItem)
  if (typeof error === 'string' && error !== '') return [{ type: 'tool-error', ...call, errorText: error }]
  if (name !== 'image_generation_call' || typeof output !== 'string')
    return [{ type: 'tool-result', ...call, output: output ?? status ?? null }]
  const mediaType = `image/${String(format)}`
  const url = `data:${mediaType};base64,${output}`
  return [
    { type: 'tool-result', ...call, output: status ?? 'completed' },
    { type: 'file', chunk: { type: 'file', mediaType, url } },
  ]
}

function providerData(rawItem: UncheckedFields): UncheckedFields {
  return isRecord(rawItem['providerData']) ? rawItem['providerData'] : {}
}
