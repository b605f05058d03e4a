import type { UIMessage } from '@tanstack/ai-react'
import type { SavedMessage } from '../player/ag-ui-messages-from.ts'

type Part = UIMessage['parts'][number]

/** A saved message as TanStack AI has it, as an application has to make it. */
export function tanstackMessageFrom({ id, role, parts }: SavedMessage): UIMessage {
  return { id, role, parts: parts.flatMap(partsFrom) }
}

function partsFrom(part: SavedMessage['parts'][number]): Part[] {
  const { type, text = '', toolCallId = '', input, output, errorText } = part
  if (type === 'text') return [{ type, content: text }]
  if (type === 'reasoning') return [{ type: 'thinking', content: text }]
  if (!type.startsWith('tool-')) return []
  const name = type.slice('tool-'.length)
  const call: Part = {
    type: 'tool-call',
    id: toolCallId,
    name,
    arguments: JSON.stringify(input),
    input,
    output,
    state: 'complete',
  }
  if (errorText === undefined) return [call]
  return [call, { type: 'tool-result', toolCallId, content: errorText, state: 'error', error: errorText }]
}
