import { isToolPart, type MessageRecord, type ToolPart } from '@throughline/protocol'
import { keyedToArray } from '@throughline/protocol/internal'
import type { ToolCall } from '../agent-event.ts'

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
