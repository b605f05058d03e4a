import { isRecord } from '@throughline/protocol'
import { isTooDeep, maxJsonDepth, parseJson } from '@throughline/protocol/internal'
import type { AgentEvent, ToolCall } from '../agent/agent-event.ts'
import type { ServiceErrors } from './service-errors.ts'

/** Returns the JSON object in the data of an SSE event. Throws a `RemoteServiceError` when there is none. */
export function readJson(data: string, errors: ServiceErrors): Readonly<Record<string, unknown>> {
  const value = parseJson(data)
  if (!isRecord(value)) throw errors.unreadable('an event is not a JSON object')
  if (isNestedTooDeep(value, data)) throw errors.unreadable('an event is nested too deep')
  return value
}

/** Returns the call of a tool whose input came as text. The call is invalid when the text is not JSON. */
export function toolCallFrom(call: Pick<ToolCall, 'toolCallId' | 'toolName'>, text: string): AgentEvent {
  const input = text.trim() === '' ? {} : parseJson(text)
  if (input !== undefined && !isNestedTooDeep(input, text)) return { type: 'tool-call', ...call, input }
  return { type: 'tool-call-invalid', ...call, input: text, errorText: 'The input of the tool is not JSON.' }
}

/** Returns the value of a JSON text. A text that is not JSON is its own value. */
export function jsonOrText(text: string): unknown {
  const value = parseJson(text)
  return value === undefined || isNestedTooDeep(value, text) ? text : value
}

// Every level takes at least two characters, so short texts need no check.
function isNestedTooDeep(value: unknown, text: string): boolean {
  return text.length > 2 * maxJsonDepth && isTooDeep(value)
}
