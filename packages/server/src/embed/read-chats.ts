import { branchOf, formatPosition, type Message } from '@throughline/protocol'
import type { ChatRecord, Store } from '@throughline/store'
import { loadHistory } from '../chats/history.ts'
import { chatKey, type NamedChat, ownerKey } from './named-chat.ts'

/** The messages of a chat at one moment. */
export interface ChatMessages {
  readonly messages: readonly Message[]
  /** Pass it to `follow` as `after` to get exactly what comes after these messages. */
  readonly position: string
}

/** Reads the chats of any owner. The methods throw a `ProblemError` (`invalid-id`) for ids that are not allowed. */
export interface ChatReader {
  /** Returns the 500 chats that were changed last, newest first. */
  list(ownerId: string): Promise<readonly ChatRecord[]>
  /** Returns `undefined` when there is no such chat. */
  get(chat: NamedChat): Promise<ChatRecord | undefined>
  /**
   * Returns the messages of the chat's newest branch, or `undefined` when there is no such chat. An answer that is
   * still being written is there as far as the log has it.
   */
  messages(chat: NamedChat): Promise<ChatMessages | undefined>
}

/** Returns a reader for the chats in this store. */
export function chatReader(store: Store): ChatReader {
  return {
    list: async ownerId => store.chats.list(ownerKey(ownerId), { limit: 500 }),
    get: async chat => store.chats.get(chatKey(chat)),
    async messages(chat) {
      const history = await loadHistory(store, chatKey(chat))
      if (history === undefined) return undefined
      return { messages: branchOf(history.messages), position: formatPosition(history.position) }
    },
  }
}
