import { isMessageId, type MessageId, type RunId } from './ids.ts'
import { type KeyedList, keyedFrom, keyedGet, keyedPlace, keyedToArray } from './keyed-list.ts'
import { isDataPart, isToolPart, type Message, type Part } from './message.ts'
import type { MessageMetadata } from './metadata.ts'

/** A chat as far as its log has been folded. Changed only by `fold`, which answers a new one. */
export interface ChatState {
  /** The last entry folded. */
  readonly seq: number
  readonly messages: KeyedList<MessageRecord>
}

export interface MessageRecord {
  readonly id: MessageId
  readonly role: Message['role']
  readonly metadata: MessageMetadata | undefined
  readonly parts: KeyedList<PartRecord>
  /** The entry and the run that brought it; unknown for messages that came from history. */
  readonly firstSeq: number | undefined
  readonly runId: RunId | undefined
}

export interface PartRecord {
  readonly key: string
  readonly part: Part
}

const idOf = (record: MessageRecord): string => record.id
const keyOf = (record: PartRecord): string => record.key

export function emptyChat(): ChatState {
  return chatFrom([], 0)
}

/** A chat from its history: `seq` is the last entry that these messages contain. */
export function chatFrom(messages: readonly Message[], seq: number): ChatState {
  return {
    seq,
    messages: keyedFrom(
      messages.map(message => recordFrom(message)),
      idOf,
    ),
  }
}

export function recordFrom(
  message: Message,
  origin?: { readonly seq: number; readonly runId: RunId },
): MessageRecord {
  const { id, role, metadata } = message
  if (!isMessageId(id)) throw new TypeError(`"${id}" is not a message id.`)
  return {
    id,
    role,
    metadata,
    parts: partsFrom(message.parts.map(part => ({ key: partKey(part), part }))),
    firstSeq: origin?.seq,
    runId: origin?.runId,
  }
}

export function partsFrom(parts: readonly PartRecord[]): KeyedList<PartRecord> {
  return keyedFrom(parts, keyOf)
}

export function findMessage(chat: ChatState, id: string): MessageRecord | undefined {
  const place = keyedPlace(chat.messages, id)
  return place === undefined ? undefined : keyedGet(chat.messages, place)
}

const messageViews = new WeakMap<MessageRecord, Message>()
const chatViews = new WeakMap<KeyedList<MessageRecord>, readonly Message[]>()

/** The chat's messages; one that no entry touched is the same object as before. */
export function messagesOf(chat: ChatState): readonly Message[] {
  const known = chatViews.get(chat.messages)
  if (known !== undefined) return known
  const messages = keyedToArray(chat.messages).map(messageOf)
  chatViews.set(chat.messages, messages)
  return messages
}

export function messageOf(record: MessageRecord): Message {
  const known = messageViews.get(record)
  if (known !== undefined) return known
  const { id, role, metadata } = record
  const parts = keyedToArray(record.parts).map(({ part }) => part)
  const message = metadata === undefined ? { id, role, parts } : { id, role, metadata, parts }
  messageViews.set(record, message)
  return message
}

// A saved text part has lost the id of its chunks. At most one is still streaming, so this key finds it.
export const savedKey = (kind: 'text' | 'reasoning'): string => `saved ${kind}`

// Types and ids may contain any character, so what stands between them must be escaped in them.
export const dataKey = (type: string, id: string): string => JSON.stringify([type, id])

function partKey(part: Part): string {
  if (part.type === 'text') return part.state === 'streaming' ? savedKey('text') : ''
  if (part.type === 'reasoning') {
    if (part.state !== 'streaming') return ''
    return part.id === undefined ? savedKey('reasoning') : `reasoning ${part.id}`
  }
  if (isToolPart(part)) return `tool ${part.toolCallId}`
  return isDataPart(part) && part.id !== undefined ? dataKey(part.type, part.id) : ''
}
