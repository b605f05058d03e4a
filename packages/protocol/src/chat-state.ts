import { isMessageId, type MessageId, type RunId } from './ids.ts'
import { type KeyedList, keyedFrom, keyedIndexOf } from './keyed-list.ts'
import { listGet, listToArray } from './list.ts'
import { memoizeByIdentity } from './memoize-by-identity.ts'
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
  readonly id: string
  readonly part: Part
}

export function emptyChat(): ChatState {
  return chatFrom([], 0)
}

/** A chat from its history: `seq` is the last entry that these messages contain. */
export function chatFrom(messages: readonly Message[], seq: number): ChatState {
  return { seq, messages: keyedFrom(messages.map(message => recordFrom(message))) }
}

export function recordFrom(
  { id, role, metadata, parts }: Message,
  { seq, runId }: { readonly seq?: number; readonly runId?: RunId } = {},
): MessageRecord {
  if (!isMessageId(id)) throw new TypeError(`"${id}" is not a message id.`)
  return {
    id,
    role,
    metadata,
    parts: keyedFrom(parts.map(part => ({ id: partId(part), part }))),
    firstSeq: seq,
    runId,
  }
}

export function findMessage({ messages }: ChatState, id: string): MessageRecord | undefined {
  return listGet(messages.items, keyedIndexOf(messages, id))
}

/** The chat's messages; one that no entry touched is the same object as before. */
export function messagesOf({ messages }: ChatState): readonly Message[] {
  return allOf(messages)
}

const allOf = memoizeByIdentity((messages: KeyedList<MessageRecord>): readonly Message[] => {
  return listToArray(messages.items).map(messageOf)
})

export const messageOf = memoizeByIdentity((record: MessageRecord): Message => {
  const { id, role, metadata } = record
  const parts = listToArray(record.parts.items).map(({ part }) => part)
  return { id, role, metadata, parts }
})

// A saved text part has lost the id of its chunks. At most one is still streaming, so this id finds it.
export const savedId = (kind: 'text' | 'reasoning'): string => `saved ${kind}`

// Types and ids may contain any character, so what stands between them must be escaped in them.
export const dataId = (type: string, id: string): string => JSON.stringify([type, id])

/** By which a chunk finds its part; empty when none will look for it. */
export function partId(part: Part): string {
  if (part.type === 'step-start') return 'step'
  if (isToolPart(part)) return `tool ${part.toolCallId}`
  if (isDataPart(part)) return part.id === undefined ? '' : dataId(part.type, part.id)
  if ((part.type !== 'text' && part.type !== 'reasoning') || part.state !== 'streaming') return ''
  return 'id' in part && part.id !== undefined ? `reasoning ${part.id}` : savedId(part.type)
}
