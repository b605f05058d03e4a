import type { Message } from '@throughline/protocol/message'

/** An answer, or a user's message, with everything sub-agents did for it. */
export interface MessageGroup {
  readonly message: Message
  readonly descendants: readonly Message[]
}

const none: readonly Message[] = []

/**
 * Puts sub-agents' messages under the answer they work for. A group in which nothing has changed is the same object
 * as before, so only what moves is drawn again.
 */
export function groupAnswers(
  messages: readonly Message[],
  before: readonly MessageGroup[],
): readonly MessageGroup[] {
  const rootOf = new Map<string, string>()
  const byRoot = new Map<string, Message[]>()
  for (const message of messages) {
    const { parent } = message.metadata ?? {}
    const root = parent === undefined ? message.id : (rootOf.get(parent.messageId) ?? message.id)
    rootOf.set(message.id, root)
    if (root !== message.id) byRoot.set(root, [...(byRoot.get(root) ?? []), message])
  }
  const known = new Map(before.map(group => [group.message.id, group]))
  return messages
    .filter(message => rootOf.get(message.id) === message.id)
    .map(message => {
      const group = { message, descendants: byRoot.get(message.id) ?? none }
      const old = known.get(message.id)
      return old !== undefined && isSame(old, group) ? old : group
    })
}

function isSame(one: MessageGroup, other: MessageGroup): boolean {
  return (
    one.message === other.message &&
    one.descendants.length === other.descendants.length &&
    one.descendants.every((message, index) => message === other.descendants[index])
  )
}
