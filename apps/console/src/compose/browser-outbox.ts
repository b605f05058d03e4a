import type { KeptMessage, Outbox } from '@throughline/client'

const prefix = 'throughline.outbox.'

/** Keeps the messages of a chat in this browser until the server has them. All tabs share them. */
export function browserOutbox(chatId: string): Outbox {
  const key = prefix + chatId
  // A message with files may be too large for the storage. Then it is kept only as long as the page is open.
  let unstored: readonly KeptMessage[] = []
  const store = (kept: readonly KeptMessage[]) => {
    if (kept.length === 0) localStorage.removeItem(key)
    else localStorage.setItem(key, JSON.stringify(kept))
  }
  return {
    load: () => [...storedUnder(key), ...unstored],
    keep(kept) {
      try {
        store([...storedUnder(key), kept])
      } catch {
        unstored = [...unstored, kept]
      }
    },
    drop(messageId) {
      const isOther = ({ message }: KeptMessage) => message.id !== messageId
      unstored = unstored.filter(isOther)
      store(storedUnder(key).filter(isOther))
    },
  }
}

/** Returns the ids of the chats with messages that the server does not have yet. */
export function chatsWithKeptMessages(): readonly string[] {
  return Object.keys(localStorage).flatMap(key => (key.startsWith(prefix) ? key.slice(prefix.length) : []))
}

/** What cannot be read was not written by this page. It is left alone until the next message takes its place. */
function storedUnder(key: string): readonly KeptMessage[] {
  try {
    const kept = JSON.parse(localStorage.getItem(key) ?? '[]')
    return Array.isArray(kept) ? kept : []
  } catch {
    return []
  }
}
