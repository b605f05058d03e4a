import type { Rearrangement } from '../entries/chunk.ts'
import { isMessageId, type MessageId, type RunId } from '../message/ids.ts'
import { isDataPart, isToolPart, type Message, type Part } from '../message/message.ts'
import type { MessageMetadata } from '../message/metadata.ts'
import { readablePart } from '../message/readable-part.ts'
import {
  type KeyedList,
  keyedFrom,
  keyedIndexOf,
  listGet,
  listMapGroups,
  listToArray,
} from '../values/list.ts'
import { memoizeByIdentity } from '../values/memoize-by-identity.ts'

/** What folding a chat's log has produced so far. Immutable: `fold` returns a new state for each entry. */
export interface ChatState {
  /** The number of the last entry that was folded; 0 before the first. */
  readonly seq: number
  /** All messages of all branches, in the order in which they began. */
  readonly messages: KeyedList<MessageRecord>
}

/** A message in the form in which `fold` works on it. */
export interface MessageRecord {
  readonly id: MessageId
  readonly role: Message['role']
  readonly metadata: MessageMetadata | undefined
  /** The parts in order. */
  readonly parts: KeyedList<PartRecord>
  /** The entry and the run that created the message; `undefined` for messages that were loaded from the store. */
  readonly firstSeq: number | undefined
  readonly runId: RunId | undefined
}

/** A part, with the id by which later chunks find it (see `partId`). */
interface PartRecord {
  readonly id: string
  readonly part: Part
}

/** Returns the state of a chat whose log is empty. */
export function emptyChat(): ChatState {
  return chatFrom([], 0)
}

/**
 * Returns the state of a chat whose messages were loaded. `seq` is the number of the last entry that they contain.
 * Throws a `TypeError` when a message has an id that is not allowed.
 */
export function chatFrom(messages: readonly Message[], seq: number): ChatState {
  return { seq, messages: keyedFrom(messages.map(message => recordFrom(message))) }
}

/**
 * Returns a message in the form in which `fold` works on it. A part that cannot be read becomes a `data-unreadable` part.
 * Throws a `TypeError` when the id of the message is not allowed.
 */
export function recordFrom(
  { id, role, metadata, parts }: Message,
  { seq, runId }: { readonly seq?: number; readonly runId?: RunId } = {},
): MessageRecord {
  if (!isMessageId(id)) throw new TypeError(`"${id}" is not a message id.`)
  const records = parts.map(readablePart).map(part => ({ id: partId(part), part }))
  return { id, role, metadata, parts: keyedFrom(records), firstSeq: seq, runId }
}

/** Returns the record of a message; `undefined` when the chat does not have it. */
export function findMessage({ messages }: ChatState, id: string): MessageRecord | undefined {
  return listGet(messages.items, keyedIndexOf(messages, id))
}

/** Returns the chat's messages. A message that no entry has changed is the same object as before. */
export function messagesOf({ messages }: ChatState): readonly Message[] {
  return allOf(messages)
}

const allOf = memoizeByIdentity((messages: KeyedList<MessageRecord>): readonly Message[] =>
  listMapGroups(messages.items, messagesIn),
)

// Memoised for each group of the list. An entry changes one group, so the others of a long chat are not looked at again.
const messagesIn = memoizeByIdentity((records: readonly MessageRecord[]) => records.map(messageOf))

/** Returns a record as a message: the same object for the same record. */
export const messageOf = memoizeByIdentity((record: MessageRecord): Message => {
  const { id, role, metadata } = record
  const parts = listToArray(record.parts.items).map(({ part }) => part)
  return { id, role, metadata, parts }
})

// A stored text part no longer has the id that its chunks use. At most one stored text part (and one reasoning part)
// is still streaming, so a fixed id is enough to find it.
export const savedId = (kind: 'text' | 'reasoning'): string => `saved ${kind}`

// Types and ids may contain any character. JSON escapes the quotes between them, so two different pairs never collide.
export const dataId = (type: string, id: string): string => JSON.stringify([type, id])

/** Returns the id by which later chunks find this part; empty when no later chunk can change it. */
export function partId(part: Part): string {
  if (part.type === 'step-start') return 'step'
  if (isToolPart(part)) return `tool ${part.toolCallId}`
  if (isDataPart(part)) return part.id === undefined ? '' : dataId(part.type, part.id)
  if ((part.type !== 'text' && part.type !== 'reasoning') || part.state !== 'streaming') return ''
  return 'id' in part && part.id !== undefined ? `reasoning ${part.id}` : savedId(part.type)
}

/**
 * Returns the messages of a chat with some of them deleted or moved. Pure; every message keeps its identity. The cost
 * grows with the length of the chat. That is fine: it happens when a person clicks, never for a chunk of an answer.
 */
export function rearrange(
  messages: KeyedList<MessageRecord>,
  { messageIds, after }: Rearrangement,
): KeyedList<MessageRecord> {
  const all = listToArray(messages.items)
  const isTaken = ({ id }: MessageRecord) => messageIds.includes(id)
  const order = all.filter(record => !isTaken(record))
  if (after !== undefined)
    order.splice(order.findIndex(({ id }) => id === after) + 1, 0, ...all.filter(isTaken))
  return keyedFrom(order)
}
