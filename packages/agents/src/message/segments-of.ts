import { isToolPart, type MessageRecord, type ToolPart, toolNameOf } from '@throughline/protocol'
import { keyedToArray } from '@throughline/protocol/internal'
import { noSegments, type Segments } from './segment.ts'
import type { KnownTool } from './tool-calls.ts'

/** Returns what is open in a message that was folded from the log. With it, a run whose process died can be ended. */
export function segmentsOf(record: MessageRecord): Segments {
  const parts = keyedToArray(record.parts)
  const openId = (type: 'text' | 'reasoning') =>
    parts.findLast(({ part }) => part.type === type && part.state === 'streaming')?.id.slice(type.length + 1)
  const tools = parts.flatMap(({ part }) => (isToolPart(part) ? [part] : []))
  return {
    ...noSegments,
    textId: openId('text'),
    reasoningId: openId('reasoning'),
    calls: {
      prefix: '',
      ids: new Set(tools.map(tool => tool.toolCallId)),
      known: new Map(tools.map(tool => [tool.toolCallId, knownTool(tool)])),
    },
    partCount: record.parts.items.size,
  }
}

function knownTool(part: ToolPart): KnownTool {
  const dynamic = part.type === 'dynamic-tool' || undefined
  return {
    toolCallId: part.toolCallId,
    toolName: toolNameOf(part),
    dynamic,
    state: stateOf(part),
    approval: approvalOf(part),
  }
}

function approvalOf({ approval }: ToolPart): KnownTool['approval'] {
  if (approval === undefined || approval.approved === true) return undefined
  return { id: approval.id, isDecided: approval.approved === false }
}

function stateOf({ state, preliminary }: ToolPart): KnownTool['state'] {
  if (state === 'input-streaming') return 'input'
  const isOver = state === 'output-available' || state === 'output-error' || state === 'output-denied'
  return isOver && preliminary !== true ? 'done' : 'called'
}
