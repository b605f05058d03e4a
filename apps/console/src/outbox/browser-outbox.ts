import type { KeptMessage, Outbox } from '@throughline/client'
import { parseJson } from '@throughline/protocol/internal'

interface Stored {
  /** Messages are sent in this order. */
  readonly order: number
  readonly kept: KeptMessage
}

const prefix = 'throughline.outbox.'
// Messages with files may be too large for the storage. They are kept only as long as the page is open, by chat.
const unstoredOf = new Map<string, Map<string, Stored>>()

/**
 * Keeps the messages of a chat in this browser until the server has them. All tabs share them. Each message has a key of
 * its own, so tabs that write at the same moment do not undo what the other has written.
 */
export function browserOutbox(chatId: string): Outbox {
  // Neither id contains a slash.
  const keyOf = (messageId: string) => `${prefix}${chatId}/${messageId}`
  const unstored = unstoredOf.get(chatId) ?? new Map<string, Stored>()
  unstoredOf.set(chatId, unstored)
  const all = () => [...storedUnder(keyOf('')), ...unstored.values()].toSorted((a, b) => a.order - b.order)
  return {
    load: () => all().map(({ kept }) => kept),
    keep(kept) {
      const { id } = kept.message
      const stored: Stored = { order: Math.max(Date.now(), (all().at(-1)?.order ?? 0) + 1), kept }
      try {
        localStorage.setItem(keyOf(id), JSON.stringify(stored))
      } catch {
        unstored.set(id, stored)
      }
    },
    drop(messageId) {
      unstored.delete(messageId)
      localStorage.removeItem(keyOf(messageId))
    },
  }
}

/** Returns the ids of the chats with messages that the server does not have yet. */
export function chatsWithKeptMessages(): readonly string[] {
  const ids = keysUnder(prefix).map(key => key.slice(prefix.length).split('/')[0] ?? '')
  return [...new Set(ids)]
}

function storedUnder(start: string): readonly Stored[] {
  return keysUnder(start).flatMap(key => {
    // What cannot be read was not written by this page. It is left alone.
    const stored = parseJson(localStorage.getItem(key) ?? '')
    return isStored(stored) ? stored : []
  })
}

function keysUnder(start: string): readonly string[] {
  return Object.keys(localStorage).filter(key => key.startsWith(start))
}

function isStored(value: unknown): value is Stored {
  return typeof value === 'object' && value !== null && 'order' in value && 'kept' in value
}
