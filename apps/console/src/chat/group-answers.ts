import type { ChatSnapshot } from '@throughline/client'
import type { Message } from '@throughline/protocol'

/** An answer, or a person's message, with the messages of all sub-agents that worked for it. */
export interface MessageGroup {
  readonly message: Message
  readonly subAgents: readonly Message[]
  /** The ids of all versions of the message, oldest first; empty when there is only one. */
  readonly versions: readonly string[]
}

const none: readonly never[] = []

/**
 * Puts the messages of sub-agents under the answer that they work for. A group that has not changed is the same object
 * as before, so that it is not drawn again.
 */
export function groupAnswers(
  { messages, versions }: Pick<ChatSnapshot, 'messages' | 'versions'>,
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
      const { id } = message
      const group = { message, subAgents: byRoot.get(id) ?? none, versions: versions.get(id) ?? none }
      const old = known.get(id)
      return old !== undefined && isSame(old, group) ? old : group
    })
}

/** Returns a React key that all versions of a message share. So the focus stays when another version is shown. */
export function keyOf({ message, versions }: MessageGroup): string {
  return versions[0] ?? message.id
}

function isSame(one: MessageGroup, other: MessageGroup): boolean {
  return (
    one.message === other.message &&
    isSameList(one.subAgents, other.subAgents) &&
    isSameList(one.versions, other.versions)
  )
}

function isSameList(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((each, index) => each === other[index])
}
