import { type ChatKey, isMessageId, type MessageId } from '@throughline/protocol'
import type { Store } from '@throughline/store'

const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'
const randomLetters = 5

/**
 * Makes ids for the messages of sub-agents. They are short, because each of their chunks carries the id on the chunk
 * stream. Short ids may collide, so each one is looked up before it is used.
 */
export function subAgentIds(store: Store, chat: ChatKey): () => Promise<MessageId> {
  const given = new Set<MessageId>()
  return async () => {
    for (;;) {
      const id = `s${randomText()}`
      if (!isMessageId(id) || given.has(id)) continue
      given.add(id)
      if ((await store.messages.find(chat, id)) === undefined) return id
    }
  }
}

function randomText(): string {
  const bytes = globalThis.crypto.getRandomValues(new Uint8Array(randomLetters))
  return Array.from(bytes, byte => letters.charAt(byte % letters.length)).join('')
}
