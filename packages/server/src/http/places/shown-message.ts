import { isRecord } from '@throughline/protocol'

/** A message as the page of a client shows it. Nothing else of the history that a client sends is used. */
export interface ShownMessage {
  readonly id: string | undefined
  readonly role: string
  readonly text: string
}

/**
 * Reads a message from the history that a client sends. AI SDK 4 to 7, assistant-ui and AG-UI write it in different
 * ways.
 */
export function shownMessage(value: unknown): ShownMessage {
  if (!isRecord(value)) return { id: undefined, role: '', text: '' }
  const { id, unstable_id, role, parts, content } = value
  const ownId = id ?? unstable_id
  return {
    id: typeof ownId === 'string' ? ownId : undefined,
    role: typeof role === 'string' ? role : '',
    text: textIn(content) ?? textIn(parts) ?? '',
  }
}

function textIn(content: unknown): string | undefined {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return undefined
  return content.map(part => (isRecord(part) && part['type'] === 'text' ? String(part['text']) : '')).join('')
}
