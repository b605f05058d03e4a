import { isRecord } from '@throughline/protocol/chunk'

/** A message as a client's page shows it. Of the history that a client sends we use this and nothing else. */
export interface ShownMessage {
  readonly id: string | undefined
  readonly role: string
  readonly text: string
}

/** Reads a message of a client's history: AI SDK 4 to 7, assistant-ui and AG-UI write it in different ways. */
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
