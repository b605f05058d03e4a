import { type Chunk, outputRequestChunk } from '@throughline/protocol'
import { closedCallText, defined } from '@throughline/protocol/internal'
import type { AgentEvent } from '../agent/agent-event.ts'
import { toJsonValue } from '../values/json-value.ts'
import { type KnownTool, know, type ToolCalls, withApproval } from './tool-calls.ts'

/** An agent event about a tool call. */
export type ToolEvent = Extract<AgentEvent, { type: `tool-${string}` }>

/** The chunks of an event, and the tool calls after it. */
export interface SegmentedTool {
  readonly calls: ToolCalls
  readonly chunks: readonly Chunk[]
}

/** Returns whether an event adds a new part to the message. Other events change a part that is there. */
export function beginsPart({ known }: ToolCalls, event: ToolEvent): boolean {
  const state = known.get(event.toolCallId)?.state
  switch (event.type) {
    case 'tool-input-start':
      return state === undefined || state === 'done'
    case 'tool-call':
    case 'tool-call-invalid':
      return state !== 'called'
    case 'tool-progress':
    case 'tool-result':
    case 'tool-error':
      return state === undefined || state === 'input'
    default:
      return false
  }
}

/** Turns an event of a tool call into chunks. A pure function. */
export function segmentTool(calls: ToolCalls, event: ToolEvent): SegmentedTool {
  const tool = calls.known.get(event.toolCallId)
  const isRunning = tool?.state === 'called'
  switch (event.type) {
    // A second start while the input streams, or while the tool works, is ignored. Readers would forget the input that
    // they have so far.
    case 'tool-input-start':
      return tool !== undefined && isOpen(tool) ? { calls, chunks: [] } : begin(calls, event, 'input')
    case 'tool-input-delta':
      return { calls, chunks: tool?.state === 'input' ? [inputDelta(tool, event.text)] : [] }
    // A second call while the tool works is ignored, too.
    case 'tool-call':
      return isRunning ? { calls, chunks: [] } : begin(calls, event, 'called')
    case 'tool-call-invalid':
      return isRunning ? addResult(calls, { ...event, type: 'tool-error' }) : begin(calls, event, 'done')
    case 'tool-progress':
    case 'tool-result':
    case 'tool-error':
      return addResult(calls, event)
    case 'tool-approval-request':
    case 'tool-approval-response':
    case 'tool-denied':
      return approve(calls, event)
    case 'tool-output-request': {
      const { requestId, from } = event
      const chunks =
        tool?.state === 'called' ? [outputRequestChunk({ toolCallId: tool.toolCallId, requestId, from })] : []
      return { calls, chunks }
    }
  }
}

/** Closes calls that will never have a result. Otherwise pages would show them as running for ever. */
export function closeTools(calls: ToolCalls, reason: string, isClosed = isOpen): SegmentedTool {
  const closed = [...calls.known].filter(([, tool]) => isClosed(tool))
  return {
    calls: {
      ...calls,
      known: new Map([
        ...calls.known,
        ...closed.map(([id, tool]) => [id, { ...tool, state: 'done' }] as const),
      ]),
    },
    chunks: closed.flatMap(([, tool]) => failed(tool, closedCallText(reason))),
  }
}

function failed({ toolCallId, approval }: KnownTool, reason: string): readonly Chunk[] {
  if (approval === undefined) return [{ type: 'tool-output-error', toolCallId, errorText: reason }]
  const denied: Chunk = { type: 'tool-output-denied', toolCallId }
  if (approval.isDecided) return [denied]
  return [{ type: 'tool-approval-response', approvalId: approval.id, approved: false, reason }, denied]
}

const isOpen = ({ state }: KnownTool): boolean => state !== 'done'

type CallEvent = Extract<ToolEvent, { type: 'tool-input-start' | 'tool-call' | 'tool-call-invalid' }>
type ResultEvent = Extract<ToolEvent, { type: 'tool-progress' | 'tool-result' | 'tool-error' }>
type ApprovalEvent = Extract<ToolEvent, { type: `tool-approval-${string}` | 'tool-denied' }>

function begin(before: ToolCalls, event: CallEvent, state: KnownTool['state']): SegmentedTool {
  const { calls, tool } = know(before, event, state)
  return { calls, chunks: [callChunk(event, tool)] }
}

function callChunk(event: CallEvent, { toolCallId, dynamic }: KnownTool): Chunk {
  const { toolName, title, providerExecuted, providerMetadata } = event
  const fields = { toolCallId, toolName, ...defined({ title, dynamic, providerExecuted, providerMetadata }) }
  switch (event.type) {
    case 'tool-input-start':
      return { type: 'tool-input-start', ...fields }
    case 'tool-call':
      return { type: 'tool-input-available', ...fields, input: toJsonValue(event.input) }
    case 'tool-call-invalid':
      return {
        type: 'tool-input-error',
        ...fields,
        input: toJsonValue(event.input),
        errorText: event.errorText,
      }
  }
}

// A second result is ignored. Before a result without a call, the call is written.
function addResult(before: ToolCalls, event: ResultEvent): SegmentedTool {
  const state = before.known.get(event.toolCallId)?.state
  if (state === 'done') return { calls: before, chunks: [] }
  const called =
    state === 'called'
      ? { calls: before, chunks: [] }
      : begin(before, { ...event, type: 'tool-call' }, 'called')
  const { calls, tool } = know(called.calls, event, event.type === 'tool-progress' ? 'called' : 'done')
  if (event.type === 'tool-error' && tool.approval !== undefined)
    return { calls, chunks: failed(tool, event.errorText) }
  return { calls, chunks: [...called.chunks, resultChunk(event, tool.toolCallId)] }
}

function resultChunk(event: ResultEvent, toolCallId: string): Chunk {
  const { providerExecuted, dynamic, providerMetadata } = event
  const fields = { toolCallId, ...defined({ providerExecuted, dynamic, providerMetadata }) }
  if (event.type === 'tool-error') return { type: 'tool-output-error', ...fields, errorText: event.errorText }
  const preliminary = event.type === 'tool-progress' ? { preliminary: true } : {}
  return { type: 'tool-output-available', ...fields, output: toJsonValue(event.output), ...preliminary }
}

function approve(calls: ToolCalls, event: ApprovalEvent): SegmentedTool {
  const tool = calls.known.get(event.toolCallId)
  if (tool?.state !== 'called') return { calls, chunks: [] }
  const { toolCallId, toolName } = tool
  switch (event.type) {
    case 'tool-approval-request': {
      const { approvalId } = event
      return {
        calls: withApproval(calls, event.toolCallId, { id: approvalId, isDecided: false }),
        chunks: [{ type: 'tool-approval-request', toolCallId, approvalId }],
      }
    }
    case 'tool-approval-response': {
      const { approvalId, approved, reason } = event
      return {
        calls: withApproval(
          calls,
          event.toolCallId,
          approved ? undefined : { id: approvalId, isDecided: true },
        ),
        chunks: [{ type: 'tool-approval-response', approvalId, approved, ...defined({ reason }) }],
      }
    }
    case 'tool-denied':
      return {
        calls: know(calls, { toolCallId: event.toolCallId, toolName }, 'done').calls,
        chunks: [{ type: 'tool-output-denied', toolCallId }],
      }
  }
}

function inputDelta({ toolCallId }: KnownTool, text: string): Chunk {
  return { type: 'tool-input-delta', toolCallId, inputTextDelta: text }
}
