// What the routes for one chat, its queue, its links and its search send to a page.

import { type ChatId, isChatId } from '../message/ids.ts'
import type { Message } from '../message/message.ts'
import { isRecord, isString } from '../values/fields.ts'
import { type BodyCheck, bodyCheck, isBoolean, listOf, maybe } from './body-check.ts'
import { isListedChat, type ListedChat } from './listed-chat.ts'

/** A chat that a search has found. */
export interface FoundChat extends ListedChat {
  /** A line of a message that contains the text. Missing when only the title contains it. */
  readonly excerpt?: string | undefined
}

/** What `GET /api/chats?q=` returns. */
export interface FoundChats {
  readonly chats: readonly FoundChat[]
  /** Whether these are all. */
  readonly isComplete: boolean
}

/** Returns whether a value is what `GET /api/chats?q=` returns. */
export const isFoundChats: BodyCheck<FoundChats> = bodyCheck<FoundChats>({
  chats: listOf(
    (value): value is FoundChat =>
      isListedChat(value) && maybe(isString)('excerpt' in value ? value.excerpt : undefined),
  ),
  isComplete: isBoolean,
})

/** What `GET /api/chats/:id` returns. Times are in ISO format. */
export interface ChatBody {
  readonly id: ChatId
  readonly title: string
  readonly createdAt: string
  readonly updatedAt: string
  /** The channel that the chat is held in. */
  readonly channel?: string | undefined
  /** The person who writes there in place of the agent. */
  readonly takenOverBy?: string | undefined
}

/** Returns whether a value is what `GET /api/chats/:id` returns. */
export const isChatBody: BodyCheck<ChatBody> = bodyCheck<ChatBody>({
  id: isChatId,
  title: isString,
  createdAt: isString,
  updatedAt: isString,
  channel: maybe(isString),
  takenOverBy: maybe(isString),
})

/** What `POST /api/chats/:id/take-over` returns: who writes in place of the agent now. */
export type TakeOver = Pick<ChatBody, 'takenOverBy'>

/** Returns whether a value is what `POST /api/chats/:id/take-over` returns. */
export const isTakeOver: BodyCheck<TakeOver> = bodyCheck<TakeOver>({ takenOverBy: maybe(isString) })

/** Parts are not checked here: one that cannot be read must not take the others with it. */
function isMessage(value: unknown): value is Message {
  return isRecord(value) && isString(value['id']) && isString(value['role']) && Array.isArray(value['parts'])
}

/** What a page reads of `GET /api/chats/:id/messages`. */
export interface MessagesBody {
  readonly messages: readonly Message[]
}

/** Returns whether a value has the messages of a chat. */
export const isMessagesBody: BodyCheck<MessagesBody> = bodyCheck<MessagesBody>({
  messages: listOf(isMessage),
})

/** A message that waits for its chat: what `PATCH /api/chats/:id/queue/:messageId` returns. */
export interface QueuedMessage {
  /** With `another-answer` there is no new message: another answer to this one waits. */
  readonly kind: string
  readonly message: Message
}

/** Returns whether a value is a message that waits. */
export const isQueuedMessage: BodyCheck<QueuedMessage> = bodyCheck<QueuedMessage>({
  kind: isString,
  message: isMessage,
})

/** What `GET /api/chats/:id/queue` returns, in order. */
export interface QueueBody {
  readonly queue: readonly QueuedMessage[]
}

/** Returns whether a value is what `GET /api/chats/:id/queue` returns. */
export const isQueueBody: BodyCheck<QueueBody> = bodyCheck<QueueBody>({ queue: listOf(isQueuedMessage) })
