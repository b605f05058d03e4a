import type { ChatSnapshot } from '@throughline/client'
import type { Message, ToolPart } from '@throughline/protocol'

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
 *
 * In a long chat this is called for every animation frame of an answer. So it makes no new object for a message that has
 * not changed, and looks up only the messages of sub-agents.
 */
export function groupAnswers(
  { messages, versions }: Pick<ChatSnapshot, 'messages' | 'versions'>,
  before: readonly MessageGroup[],
): readonly MessageGroup[] {
  const roots: Message[] = []
  /** By the id of an answer, and of each sub-agent's message below it: all messages below the answer. */
  const below = new Map<string, Message[]>()
  for (const message of messages) {
    const parentId = message.metadata?.parent?.messageId
    const others = parentId === undefined ? undefined : (below.get(parentId) ?? newUnder(roots, parentId))
    if (parentId === undefined || others === undefined) roots.push(message)
    else {
      others.push(message)
      below.set(parentId, others).set(message.id, others)
    }
  }
  let known: ReadonlyMap<string, MessageGroup> | undefined
  return roots.map((message, index) => {
    const { id } = message
    let old = before[index]
    if (old?.message.id !== id) {
      // Messages before this one were deleted, moved or added. Behind the end there are only new ones.
      if (old !== undefined) known ??= new Map(before.map(group => [group.message.id, group]))
      old = known?.get(id)
    }
    const subAgents = below.get(id) ?? none
    const ids = versions.get(id) ?? none
    return old?.message === message && isSameList(old.subAgents, subAgents) && isSameList(old.versions, ids)
      ? old
      : { message, subAgents, versions: ids }
  })
}

/** Returns a React key that all versions of a message share. So the focus stays when another version is shown. */
export function keyOf({ message, versions }: MessageGroup): string {
  return versions[0] ?? message.id
}

/** Returns an empty list for the messages below an answer; `undefined` when there is no such answer. */
function newUnder(roots: readonly Message[], parentId: string): Message[] | undefined {
  // From the end, because a sub-agent's message stands close behind its answer.
  return roots.findLast(({ id }) => id === parentId) && []
}

function isSameList(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((each, index) => each === other[index])
}

/** Returns the message of the sub-agent that a call has started; `undefined` while there is none. */
export function startedBy(
  callerId: string,
  { toolCallId }: ToolPart,
  subAgents: readonly Message[],
): Message | undefined {
  return subAgents.find(({ metadata }) => {
    return metadata?.parent?.messageId === callerId && metadata.parent.toolCallId === toolCallId
  })
}

/** Returns the message of a sub-agent, and the messages of all sub-agents that work for it. */
export function workOf(message: Message, subAgents: readonly Message[]): readonly Message[] {
  const below = subAgents.filter(({ metadata }) => metadata?.parent?.messageId === message.id)
  return [message, ...below.flatMap(each => workOf(each, subAgents))]
}
