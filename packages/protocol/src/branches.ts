import type { Message } from './message.ts'

/** What says where a message stands; the parts are of no interest here. */
type Outline = Pick<Message, 'id' | 'role' | 'metadata'>

/**
 * A chat's messages in the order in which they began form a tree: a message follows the one before it, or the one
 * its `metadata.previousMessageId` names (none, when that is empty). A path from the root to a tip is a branch.
 * Sub-agents' messages stand with the answer they worked for.
 */
interface Tree {
  /** Of every message that is no sub-agent's: the id of the one it follows, or nothing. */
  readonly previous: ReadonlyMap<string, string>
  /** Of every sub-agent's message: the message whose call it answers. */
  readonly parents: ReadonlyMap<string, string>
}

/**
 * The messages of the branch that `messageId` is on, down to its newest tip; of the newest branch when there is no
 * such message. A chat without branches is answered as it is.
 */
export function branchOf<Each extends Outline>(
  messages: readonly Each[],
  messageId?: string,
): readonly Each[] {
  if (!hasBranches(messages)) return messages
  const tree = treeOf(messages)
  const path = pathTo(tree, tipUnder(tree, messageId))
  return messages.filter(({ id }) => path.has(rootOf(tree, id)))
}

/** The messages up to and including one: what was said on its branch before, and nothing of what came after. */
export function branchUpTo<Each extends Outline>(
  messages: readonly Each[],
  messageId: string,
): readonly Each[] {
  const tree = treeOf(messages)
  const path = pathTo(tree, messageId)
  return messages.filter(({ id }) => path.has(rootOf(tree, id)))
}

/** Of messages that stand in the place of one another, the ids, oldest first: also when there is only one. */
export function versionsOf(messages: readonly Outline[], messageId: string): readonly string[] {
  const { previous } = treeOf(messages)
  const place = previous.get(messageId)
  const role = messages.find(({ id }) => id === messageId)?.role
  return messages.flatMap(({ id, role: other }) => {
    return place !== undefined && previous.get(id) === place && other === role ? [id] : []
  })
}

/** The versions of every message that has more than one. */
export function allVersions(messages: readonly Outline[]): ReadonlyMap<string, readonly string[]> {
  if (!hasBranches(messages)) return none
  const { previous } = treeOf(messages)
  const top = messages.filter(({ id }) => previous.has(id))
  const groups = Map.groupBy(top, ({ id, role }) => `${role} ${previous.get(id)}`)
  return new Map(
    [...groups.values()]
      .map(group => group.map(({ id }) => id))
      .filter(ids => ids.length > 1)
      .flatMap(ids => ids.map(id => [id, ids] as const)),
  )
}

/** The last message of every branch, in the order in which they began: the last one is the newest branch's. */
export function tipsOf<Each extends Outline>(messages: readonly Each[]): readonly Each[] {
  const { previous } = treeOf(messages)
  const followed = new Set(previous.values())
  return messages.filter(({ id }) => previous.has(id) && !followed.has(id))
}

/** How many messages `branchUpTo` answers for each message: all at once, because a long chat may have many branches. */
export function branchLengths(messages: readonly Outline[]): ReadonlyMap<string, number> {
  const tree = treeOf(messages)
  const standing = Map.groupBy(messages, ({ id }) => rootOf(tree, id))
  const lengths = new Map<string, number>()
  for (const [id, previous] of tree.previous)
    lengths.set(id, (lengths.get(previous) ?? 0) + (standing.get(id)?.length ?? 0))
  return lengths
}

/** The message that a message follows on its branch; empty when it is the first, nothing when it is unknown. */
export function previousOf(messages: readonly Outline[], messageId: string): string | undefined {
  return treeOf(messages).previous.get(messageId)
}

/** The last message that is no sub-agent's: the one that the next message follows unless it says otherwise. */
export function lastIn(messages: readonly Outline[]): string {
  return messages.findLast(message => !isSubAgents(message))?.id ?? ''
}

const none: ReadonlyMap<string, readonly string[]> = new Map()

function hasBranches(messages: readonly Outline[]): boolean {
  return messages.some(({ metadata }) => metadata?.previousMessageId !== undefined)
}

function treeOf(messages: readonly Outline[]): Tree {
  const previous = new Map<string, string>()
  const parents = new Map<string, string>()
  let last = ''
  for (const message of messages) {
    const { id, metadata } = message
    if (isSubAgents(message)) {
      parents.set(id, metadata?.parent?.messageId ?? last)
      continue
    }
    previous.set(id, metadata?.previousMessageId ?? last)
    last = id
  }
  return { previous, parents }
}

function isSubAgents({ metadata }: Outline): boolean {
  return metadata?.agent?.kind === 'sub' || metadata?.parent !== undefined
}

/** The message a sub-agent's message belongs to in the end, or the message itself. */
function rootOf({ parents }: Tree, messageId: string): string {
  let id = messageId
  // Bounded, because what is saved may be damaged: a circle must not hang the reader.
  for (let steps = 0; steps < parents.size; steps += 1) {
    const parent = parents.get(id)
    if (parent === undefined) return id
    id = parent
  }
  return id
}

function pathTo({ previous }: Tree, tip: string): ReadonlySet<string> {
  const path = new Set<string>()
  for (let id = tip; previous.has(id) && !path.has(id); id = previous.get(id) ?? '') path.add(id)
  return path
}

/** The newest message on a branch through `messageId`. What follows always begins later, so one pass is enough. */
function tipUnder({ previous }: Tree, messageId: string | undefined): string {
  const ids = [...previous.keys()]
  if (messageId === undefined || !previous.has(messageId)) return ids.at(-1) ?? ''
  const under = new Set([messageId])
  for (const id of ids) if (under.has(previous.get(id) ?? '')) under.add(id)
  return ids.findLast(id => under.has(id)) ?? messageId
}
