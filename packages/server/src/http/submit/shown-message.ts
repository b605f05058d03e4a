import { isRecord, type Message, textOf } from '@throughline/protocol'

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

/**
 * Returns whether a message has the text that a page shows. Clients join the texts of a message in different ways, so
 * spaces are ignored.
 */
export function isSameText(message: Message, text: string): boolean {
  return squashed(textOf(message)) === squashed(text)
}

/** Returns a text without its spaces. */
export function squashed(text: string): string {
  return text.replace(/\s+/g, '')
}

/** Finds the first of these messages that the chat has. Returns `undefined` when it has none of them. */
export type FirstPlace = (shown: readonly ShownMessage[]) => Promise<string | undefined>

/**
 * Returns the id of the message that a page shows right before its newest question. Empty when there is none, and
 * `undefined` when it cannot be found. A page may show one answer as several messages: one for each text, or one for
 * each sub-agent. It is enough to find one of them.
 */
export async function shownBefore(
  shown: readonly ShownMessage[],
  firstPlace: FirstPlace,
): Promise<string | undefined> {
  const before = shown.slice(
    0,
    shown.findLastIndex(({ role }) => role === 'user'),
  )
  const asked = before.findLastIndex(({ role }) => role === 'user')
  const answers = before.slice(asked + 1)
  const place = await firstPlace(answers.toReversed())
  if (place !== undefined) return place
  const question = before[asked]
  // Answers without a question, such as the page's own greeting, stand at the beginning.
  if (question === undefined) return ''
  return answers.length === 0 ? firstPlace([question]) : undefined
}
