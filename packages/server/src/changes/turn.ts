import { type Tree, treeOf } from '@throughline/protocol/branches'
import type { MessageOutline } from '@throughline/store/messages'

/** A message and what belongs to it. */
export interface Turn {
  readonly tree: Tree
  /** The message itself first, then those that answer it; no sub-agents'. */
  readonly own: ReadonlySet<string>
  /** All that belongs to it, sub-agents' messages included, in the chat's order. */
  readonly messageIds: readonly string[]
}

/**
 * What belongs to a message. To a user's message: everything that answers it, up to the next message of the user. To an
 * answer: nothing but itself. To both: what sub-agents did for them. Nothing for a sub-agent's message, or an unknown one.
 */
export function turnOf(messages: readonly MessageOutline[], messageId: string): Turn | undefined {
  const tree = treeOf(messages)
  const [previous, roots] = tree
  if (!previous.has(messageId)) return undefined
  const roles = new Map(messages.map(({ id, role }) => [id, role]))
  const own = new Set([messageId])
  if (roles.get(messageId) === 'user') {
    // What a message follows stands before it, so one pass finds them all.
    for (const [id, before] of previous) if (own.has(before) && roles.get(id) === 'assistant') own.add(id)
  }
  const messageIds = messages.map(({ id }) => id).filter(id => own.has(roots.get(id) ?? id))
  return { tree, own, messageIds }
}

/** What each message that is left follows when a turn is taken out: the one before the turn takes its place. */
export function withoutTurn({ tree: [previous], own }: Turn): Map<string, string> {
  const standing = (id: string): string => (own.has(id) ? standing(previous.get(id) ?? '') : id)
  return new Map(
    [...previous].filter(([id]) => !own.has(id)).map(([id, before]) => [id, standing(before)] as const),
  )
}
