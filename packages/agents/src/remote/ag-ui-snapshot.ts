import { isRecord } from '@throughline/protocol'
import { recordsIn, textOrEmpty, type UncheckedFields } from '../values/fields.ts'

/** Something in a snapshot of the messages that belongs to the answer. */
export type SnapshotItem =
  | { readonly type: 'text' | 'reasoning'; readonly id: string; readonly text: string }
  | { readonly type: 'call'; readonly toolCallId: string; readonly toolName: string; readonly text: string }
  | { readonly type: 'result'; readonly event: UncheckedFields }

/**
 * Returns what a `MESSAGES_SNAPSHOT` says of the answer: what stands after the newest message of the person. What sub-agents
 * said is left out.
 */
export function snapshotItems(messages: unknown): readonly SnapshotItem[] {
  const all = Array.isArray(messages) ? messages.filter(isRecord) : []
  const asked = all.findLastIndex(({ role }) => role === 'user')
  return all
    .slice(asked + 1)
    .filter(({ subagentRunId }) => subagentRunId === undefined)
    .flatMap(itemsOf)
}

function itemsOf(message: UncheckedFields): readonly SnapshotItem[] {
  const id = textOrEmpty(message['id'])
  switch (message['role']) {
    case 'assistant':
      return [
        ...textItems('text', id, message['content']),
        ...recordsIn(message['toolCalls']).flatMap(callItems),
      ]
    case 'reasoning':
      return textItems('reasoning', id, message['content'])
    case 'tool':
      return typeof message['toolCallId'] === 'string' ? [{ type: 'result', event: message }] : []
    default:
      return []
  }
}

function textItems(type: 'text' | 'reasoning', id: string, content: unknown): readonly SnapshotItem[] {
  const text = Array.isArray(content)
    ? recordsIn(content)
        .map(part => (part['type'] === 'text' ? textOrEmpty(part['text']) : ''))
        .join('')
    : textOrEmpty(content)
  return text === '' ? [] : [{ type, id, text }]
}

function callItems({ id, function: called }: UncheckedFields): readonly SnapshotItem[] {
  const { name, arguments: text } = isRecord(called) ? called : {}
  if (typeof id !== 'string' || typeof name !== 'string') return []
  return [{ type: 'call', toolCallId: id, toolName: name, text: textOrEmpty(text) }]
}
