import { type Tree, treeOf } from '@throughline/protocol'
import type { MessageOutline } from '@throughline/store'

/** A message and what belongs to it. */
export interface Turn {
  readonly tree: Tree
  /** The message first, then its answers, without the messages of sub-agents. */
  readonly own: ReadonlySet<string>
  /** Everything that belongs to the message, with the messages of sub-agents, in the chat's order. */
  readonly messageIds: readonly string[]
}

/**
 * Returns a message with what belongs to it. To a user's message belong all answers to it, up to the user's next
 * message. To an answer belongs only the answer itself. The messages of the sub-agents that worked for them belong to
 * both. Returns `undefined` for a sub-agent's message, and for a message that the chat does not have.
 */
export function turnOf(messages: readonly MessageOutline[], messageId: string): Turn | undefined {
  const tree = treeOf(messages)
  const [previous, roots] = tree
  if (!previous.has(messageId)) return undefined
  const roles = new Map(messages.map(({ id, role }) => [id, role]))
  const own = new Set([messageId])
  if (roles.get(messageId) === 'user') {
    // A message stands after the one that it follows, so one pass finds them all.
    for (const [id, before] of previous) if (own.has(before) && roles.get(id) === 'assistant') own.add(id)
  }
  const messageIds = messages.map(({ id }) => id).filter(id => own.has(roots.get(id) ?? id))
  return { tree, own, messageIds }
}

/**
 * Returns which message each remaining message follows when a turn is removed: instead of the turn, it follows what
 * the turn followed.
 */
export function withoutTurn({ tree: [previous], own }: Turn): Map<string, string> {
  const standing = (id: string): string => (own.has(id) ? standing(previous.get(id) ?? '') : id)
  return new Map(
    [...previous].filter(([id]) => !own.has(id)).map(([id, before]) => [id, standing(before)] as const),
  )
}
