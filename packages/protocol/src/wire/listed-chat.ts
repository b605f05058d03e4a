import { type ChatId, isChatId } from '../message/ids.ts'
import { isRecord } from '../values/fields.ts'

/** A chat as a list of chats shows it. Times are in ISO format. */
export interface ListedChat {
  readonly id: ChatId
  /** The beginning of the first message, or the title that a person gave. */
  readonly title: string
  readonly createdAt: string
  readonly updatedAt: string
  /** When an answer ended last, in whatever way. Missing while none has ended. */
  readonly answeredAt?: string
  /** When the person has pinned the chat to the top of the list. Missing for all others. */
  readonly pinnedAt?: string
  /** The channel that the chat is held in. */
  readonly channel?: string
  /** `running`: somebody works on an answer. `waiting`: the answer goes on after a person's decision on a tool call. */
  readonly activity: 'idle' | 'running' | 'waiting'
}

/** One event of the stream of an owner's chats. */
export type ChatListEvent =
  /** The whole list. The first event of every connection. */
  | { readonly type: 'list'; readonly chats: readonly ListedChat[] }
  /** A chat is new, or something about it has changed. */
  | { readonly type: 'chat'; readonly chat: ListedChat }
  /** A chat was removed, or it is older than all that fit into the list. */
  | { readonly type: 'gone'; readonly id: ChatId }

/** Returns whether a value is an event of the stream of chats. */
export function isChatListEvent(value: unknown): value is ChatListEvent {
  if (!isRecord(value)) return false
  const { type, chats, chat, id } = value
  if (type === 'list') return Array.isArray(chats) && chats.every(isListedChat)
  return type === 'chat' ? isListedChat(chat) : type === 'gone' && isChatId(id)
}

/** Returns whether a value is a chat of a list. */
export function isListedChat(value: unknown): value is ListedChat {
  if (!isRecord(value)) return false
  const { id, title, updatedAt, activity } = value
  return isChatId(id) && [title, updatedAt, activity].every(field => typeof field === 'string')
}
