import { isMessageId, type MessageId, type RunId } from './ids.ts'
import { emptyList, type List, listFrom, listGet, listToArray } from './list.ts'
import { isToolPart, type Message, type Part } from './message.ts'
import type { MessageMetadata } from './metadata.ts'

/** A chat as far as its log has been folded. Changed only by `fold`, which answers a new one. */
export interface ChatState {
  /** The last entry folded. */
  readonly seq: number
  readonly messages: List<MessageRecord>
  readonly places: Places
}

export interface MessageRecord {
  readonly id: MessageId
  readonly role: Message['role']
  readonly metadata: MessageMetadata | undefined
  readonly parts: List<PartRecord>
  readonly places: Places
  /** The entry and the run that brought it; unknown for messages that came from history. */
  readonly firstSeq: number | undefined
  readonly runId: RunId | undefined
}

export interface PartRecord {
  readonly key: string
  readonly part: Part
}

/**
 * Where a key was last put. A hint shared by all versions of a list, and so the one thing here that
 * changes: `placeOf` checks it against the version at hand, and a key never put is in no version.
 */
export type Places = Map<string, number>

export function emptyChat(): ChatState {
  return chatFrom([], 0)
}

/** A chat from its history: `seq` is the last entry that these messages contain. */
export function chatFrom(messages: readonly Message[], seq: number): ChatState {
  const records = messages.map(message => recordFrom(message))
  return {
    seq,
    messages: listFrom(records),
    places: new Map(records.map((record, index) => [record.id, index])),
  }
}

export function recordFrom(
  message: Message,
  origin?: { readonly seq: number; readonly runId: RunId },
): MessageRecord {
  const { id, role, metadata } = message
  if (!isMessageId(id)) throw new TypeError(`"${id}" is not a message id.`)
  const parts = message.parts.map(part => ({ key: partKey(part), part }))
  return {
    id,
    role,
    metadata,
    parts: listFrom(parts),
    places: new Map(parts.map(({ key }, index) => [key, index])),
    firstSeq: origin?.seq,
    runId: origin?.runId,
  }
}

export function startedRecord(
  id: MessageId,
  origin: { readonly seq: number; readonly runId: RunId },
): MessageRecord {
  return {
    id,
    role: 'assistant',
    metadata: undefined,
    parts: emptyList(),
    places: new Map(),
    firstSeq: origin.seq,
    runId: origin.runId,
  }
}

export function placeOf<Item>(
  list: List<Item>,
  places: Places,
  lookup: { readonly key: string; readonly keyOf: (item: Item) => string },
): number | undefined {
  const place = places.get(lookup.key)
  if (place === undefined) return undefined
  const item = listGet(list, place)
  if (item !== undefined && lookup.keyOf(item) === lookup.key) return place
  // Another version put it elsewhere (two futures of one state): look for it.
  const found = listToArray(list).findLastIndex(each => lookup.keyOf(each) === lookup.key)
  return found === -1 ? undefined : found
}

export function findMessage(chat: ChatState, id: string): MessageRecord | undefined {
  const place = placeOf(chat.messages, chat.places, { key: id, keyOf: record => record.id })
  return place === undefined ? undefined : listGet(chat.messages, place)
}

const messageViews = new WeakMap<MessageRecord, Message>()
const chatViews = new WeakMap<List<MessageRecord>, readonly Message[]>()

/** The chat's messages; one that no entry touched is the same object as before. */
export function messagesOf(chat: ChatState): readonly Message[] {
  const known = chatViews.get(chat.messages)
  if (known !== undefined) return known
  const messages = listToArray(chat.messages).map(messageOf)
  chatViews.set(chat.messages, messages)
  return messages
}

export function messageOf(record: MessageRecord): Message {
  const known = messageViews.get(record)
  if (known !== undefined) return known
  const { id, role, metadata } = record
  const parts = listToArray(record.parts).map(({ part }) => part)
  const message = metadata === undefined ? { id, role, parts } : { id, role, metadata, parts }
  messageViews.set(record, message)
  return message
}

// A saved text part has lost the id of its chunks. At most one is still streaming, so "no id" finds it.
function partKey(part: Part): string {
  if (part.type === 'text') return part.state === 'streaming' ? 'text ' : ''
  if (part.type === 'reasoning') return part.state === 'streaming' ? `reasoning ${part.id ?? ''}` : ''
  if (isToolPart(part)) return `tool ${part.toolCallId}`
  return 'id' in part && part.id !== undefined ? `${part.type} ${part.id}` : ''
}
