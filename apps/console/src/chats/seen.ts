import type { ListedChat } from '@throughline/protocol'

/** Up to which time the person has seen the answers, in this browser. All times are the server's. */
export interface Seen {
  /** Answers from before this time count as seen. It is set when the browser shows the list for the first time. */
  readonly since: string
  /** The last answer that the person has seen, by chat. */
  readonly chats: Readonly<Record<string, string>>
}

/** Returns whether an answer of the chat has ended since the person looked at it. */
export function isUnread({ id, answeredAt = '' }: ListedChat, seen: Seen): boolean {
  return answeredAt > (seen.chats[id] ?? seen.since)
}

/**
 * Returns what is seen now that the person looks at `looked`. Forgets chats that are not in the list. Returns the same
 * object when nothing changes.
 */
export function seenAfter(
  seen: Seen | undefined,
  chats: readonly ListedChat[],
  looked: ListedChat | undefined,
): Seen {
  if (seen === undefined)
    return {
      since: chats.reduce((last, { answeredAt = '' }) => (answeredAt > last ? answeredAt : last), ''),
      chats: {},
    }
  if (looked?.answeredAt === undefined || !isUnread(looked, seen)) return seen
  const listed = new Set<string>(chats.map(({ id }) => id))
  const kept = Object.entries(seen.chats).filter(([id]) => listed.has(id))
  return { ...seen, chats: { ...Object.fromEntries(kept), [looked.id]: looked.answeredAt } }
}
