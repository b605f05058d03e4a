import { type Chunk, isToolPart, type MessageRecord, type ToolPart } from '@throughline/protocol'
import { keyedToArray, serverSentence } from '@throughline/protocol/internal'
import type { ToolCall } from '../agent/agent-event.ts'
import { segment } from '../message/segment.ts'
import { closeTools } from '../message/segment-tool.ts'
import { segmentsOf } from '../message/segments-of.ts'
import { closeSteps } from '../message/steps.ts'

/**
 * Returns the chunks that close what was being written in a message when its process died: text, reasoning, the inputs of
 * calls, and the progress of calls that have ended. Calls whose input is complete stay open.
 */
export function closeCutMessage(record: MessageRecord): readonly Chunk[] {
  const { segments, chunks } = segment(segmentsOf(record), { type: 'response-done' })
  const isIncomplete = ({ state }: { readonly state: string }) => state === 'input'
  const incomplete = closeTools(segments.calls, serverSentence('input-incomplete'), isIncomplete).chunks
  const open = new Set(openCalls(record).map(({ toolCallId }) => toolCallId))
  // The end of the progress is written right after the result. The process died in between.
  return [...chunks, ...incomplete, ...closeSteps(record, ({ toolCallId }) => !open.has(toolCallId))]
}

/** Returns the calls of a message whose input is complete, and that have no result yet. */
export function openCalls({ parts }: MessageRecord): readonly ToolPart[] {
  return keyedToArray(parts).flatMap(({ part }) => (isToolPart(part) && isOpen(part) ? [part] : []))
}

/** Returns a call as agent events have it. `toolName` is the name of its tool. */
export function callOf(part: ToolPart, toolName: string): ToolCall {
  const { toolCallId, input, providerExecuted } = part
  const dynamic = part.type === 'dynamic-tool' || undefined
  return { toolCallId, toolName, input, dynamic, providerExecuted }
}

function isOpen({ state, preliminary }: ToolPart): boolean {
  switch (state) {
    case 'input-available':
    case 'approval-requested':
    case 'approval-responded':
      return true
    case 'output-available':
      return preliminary === true
    case 'input-streaming':
    case 'output-error':
    case 'output-denied':
      return false
  }
}
