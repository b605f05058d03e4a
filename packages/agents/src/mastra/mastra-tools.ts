import { isRecord } from '@throughline/protocol'
import { APICallError, RetryError } from 'ai'
import type { AgentEvent, ToolCall } from '../agent-event.ts'
import { describeFailure } from '../errors/describe-failure.ts'
import type { CallStart, MastraPayload } from './mastra-chunk.ts'
import { isNestedChunk } from './mastra-usage.ts'

/** Returns what is known of a call before its input has come. */
export function startOf(payload: CallStart): Omit<ToolCall, 'input'> {
  const { toolCallId, toolName, providerExecuted, dynamic, providerMetadata } = payload
  return { toolCallId, toolName, providerExecuted, dynamic: dynamic || undefined, providerMetadata }
}

export function callOf(payload: CallStart & { readonly args?: unknown }): ToolCall {
  return { ...startOf(payload), input: payload.args ?? {} }
}

/** Returns the event of a result. Mastra reports an input that does not fit as a result, too; here it is an error. */
export function resultEvent(payload: MastraPayload<'tool-result'>): AgentEvent {
  const { result, isError } = payload
  const call = withoutMetadata(payload)
  const refusal = refusalIn(result)
  if (refusal !== undefined) return { type: 'tool-error', ...call, errorText: refusal }
  if (isError === true) return { type: 'tool-error', ...call, errorText: messageOf(result) }
  return { type: 'tool-result', ...call, output: result }
}

export function errorEvent(payload: MastraPayload<'tool-error'>): AgentEvent {
  return { type: 'tool-error', ...withoutMetadata(payload), errorText: messageOf(payload.error) }
}

/** Returns what a tool writes while it works. The chunks of an agent or a workflow inside a tool are not shown. */
export function progressEvents(payload: MastraPayload<'tool-output'>): readonly AgentEvent[] {
  const { toolCallId, toolName = 'tool', output } = payload
  if (isNestedChunk(output)) return []
  return [{ type: 'tool-progress', toolCallId, toolName, input: undefined, output }]
}

// Mastra keeps a second copy of the output in the metadata of a result.
function withoutMetadata(payload: CallStart & { readonly args?: unknown }): ToolCall {
  return { ...callOf(payload), providerMetadata: undefined }
}

function refusalIn(result: unknown): string | undefined {
  if (!isRecord(result) || result['error'] !== true || !('validationErrors' in result)) return undefined
  return typeof result['message'] === 'string' ? result['message'] : undefined
}

// A tool can call a model itself. The message of a provider's error may contain anything, so it is replaced.
function messageOf(error: unknown): string {
  if (APICallError.isInstance(error) || RetryError.isInstance(error)) return describeFailure(error)
  if (isRecord(error) && typeof error['message'] === 'string') return error['message']
  return typeof error === 'string' ? error : 'The tool failed.'
}
