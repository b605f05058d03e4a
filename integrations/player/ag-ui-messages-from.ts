/** A message as the server keeps it. */
export interface SavedMessage {
  readonly id: string
  readonly role: 'user' | 'assistant'
  readonly metadata?: { readonly status?: string }
  readonly parts: readonly SavedPart[]
}

interface SavedPart {
  readonly type: string
  readonly text?: string
  readonly toolCallId?: string
  readonly input?: unknown
  readonly output?: unknown
  readonly errorText?: string
}

type AgUiMessage =
  | { readonly id: string; readonly role: 'user' | 'reasoning'; readonly content: string }
  | { readonly id: string; readonly role: 'tool'; readonly toolCallId: string; readonly content: string }
  | {
      readonly id: string
      readonly role: 'assistant'
      readonly content?: string
      readonly toolCalls?: {
        id: string
        type: 'function'
        function: { name: string; arguments: string }
      }[]
    }

/** Saved messages as AG-UI messages, as an application of an AG-UI client has to make them: one for each part. */
export function agUiMessagesFrom(saved: readonly SavedMessage[]): AgUiMessage[] {
  return saved.flatMap(message =>
    message.role === 'user'
      ? [{ id: message.id, role: 'user', content: message.parts.map(({ text = '' }) => text).join('') }]
      : message.parts.flatMap((part, index) => messagesFrom(part, `${message.id}:${index}`)),
  )
}

function messagesFrom(part: SavedPart, id: string): readonly AgUiMessage[] {
  const { type, text = '', toolCallId = '', input, output, errorText } = part
  if (type === 'text') return [{ id, role: 'assistant', content: text }]
  if (type === 'reasoning') return [{ id, role: 'reasoning', content: text }]
  if (!type.startsWith('tool-')) return []
  const called = { name: type.slice('tool-'.length), arguments: JSON.stringify(input) }
  const call: AgUiMessage = {
    id,
    role: 'assistant',
    toolCalls: [{ id: toolCallId, type: 'function', function: called }],
  }
  const result = output === undefined ? errorText : JSON.stringify(output)
  return result === undefined
    ? [call]
    : [call, { id: `${id}:result`, role: 'tool', toolCallId, content: result }]
}
