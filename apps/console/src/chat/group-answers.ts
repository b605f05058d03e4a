import type { ChatSnapshot } from '@throughline/client/chat-snapshot'
import type { Message } from '@throughline/protocol/message'

/** An answer, or a user's message, with everything sub-agents did for it. */
export interface MessageGroup {
  readonly message: Message
  readonly descendants: readonly Message[]
  /** The ids of all its versions, oldest first; none when there is only this one. */
  readonly versions: readonly string[]
}

const none: readonly never[] = []

/**
 * Puts sub-agents' messages under the answer they work for. A group in which nothing has changed is the same object
 * as before, so only what moves is drawn again.
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
      const group = { message, descendants: byRoot.get(id) ?? none, versions: versions.get(id) ?? none }
      const old = known.get(id)
      return old !== undefined && isSame(old, group) ? old : group
    })
}

/** The same for all versions of a message: one that takes another's place on the page takes over its focus, too. */
export function placeOf({ message, versions }: MessageGroup): string {
  return versions[0] ?? message.id
}

function isSame(one: MessageGroup, other: MessageGroup): boolean {
  return (
    one.message === other.message &&
    isSameList(one.descendants, other.descendants) &&
    isSameList(one.versions, other.versions)
  )
}

function isSameList(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((each, index) => each === other[index])
}
