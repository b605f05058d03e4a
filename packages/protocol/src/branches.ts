import type { Message } from './message.ts'

/** What says where a message stands; the parts are of no interest here. */
type Outline = Pick<Message, 'id' | 'role' | 'metadata'>

/**
 * A chat's messages in the order in which they began form a tree: a message follows the one before it, or the one
 * its `metadata.previousMessageId` names (none, when that is empty). A path from the root to a tip is a branch.
 * Sub-agents' messages stand with the answer they worked for.
 */
export type Tree = readonly [
  /** Of every message that is no sub-agent's: the id of the one it follows, or nothing. */
  previous: ReadonlyMap<string, string>,
  /** Of every sub-agent's message: the message that it worked for in the end. */
  roots: ReadonlyMap<string, string>,
]

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
  return pathTo(tree, tipUnder(tree, messageId), messages)
}

/** The messages up to and including one: what was said on its branch before, and nothing of what came after. */
export function branchUpTo<Each extends Outline>(
  messages: readonly Each[],
  messageId: string,
): readonly Each[] {
  return pathTo(treeOf(messages), messageId, messages)
}

/** Of messages that stand in the place of one another, the ids, oldest first: also when there is only one. */
export function versionsOf(messages: readonly Outline[], messageId: string): readonly string[] {
  const [previous] = treeOf(messages)
  const place = previous.get(messageId)
  const role = messages.find(({ id }) => id === messageId)?.role
  return messages.flatMap(({ id, role: other }) => {
    return place !== undefined && previous.get(id) === place && other === role ? [id] : []
  })
}

/** The versions of every message that has more than one. */
export function allVersions(messages: readonly Outline[]): ReadonlyMap<string, readonly string[]> {
  if (!hasBranches(messages)) return none
  const [previous] = treeOf(messages)
  const roles = new Map(messages.map(({ id, role }) => [id, role]))
  const places = Map.groupBy(previous.keys(), id => `${roles.get(id)} ${previous.get(id)}`)
  return new Map(
    [...places.values()].flatMap(ids => (ids.length > 1 ? ids.map(id => [id, ids] as const) : [])),
  )
}

/** The last message of every branch, in the order in which they began: the last one is the newest branch's. */
export function tipsOf<Each extends Outline>(messages: readonly Each[]): readonly Each[] {
  const [previous] = treeOf(messages)
  const followed = new Set(previous.values())
  return messages.filter(({ id }) => previous.has(id) && !followed.has(id))
}

/** The message that a message follows on its branch; empty when it is the first, nothing when it is unknown. */
export function previousOf(messages: readonly Outline[], messageId: string): string | undefined {
  return treeOf(messages)[0].get(messageId)
}

/** Of every message that is no sub-agent's, by its id: the id of the message that it follows, empty for none. */
export function allPrevious(messages: readonly Outline[]): ReadonlyMap<string, string> {
  return treeOf(messages)[0]
}

/** Of every sub-agent's message, by its id: the message that it worked for in the end, which is no sub-agent's. */
export function rootsOf(messages: readonly Outline[]): ReadonlyMap<string, string> {
  return treeOf(messages)[1]
}

/** How many messages `branchUpTo` answers for each message: all at once, because a long chat may have many branches. */
export function branchLengths(messages: readonly Outline[]): ReadonlyMap<string, number> {
  const [previous, roots] = treeOf(messages)
  const standing = Map.groupBy(messages, ({ id }) => roots.get(id) ?? id)
  const lengths = new Map<string, number>()
  for (const [id, before] of previous)
    lengths.set(id, (lengths.get(before) ?? 0) + (standing.get(id)?.length ?? 0))
  return lengths
}

/** The last message that is no sub-agent's: the one that the next message follows unless it says otherwise. */
export function lastIn(messages: readonly Outline[]): string {
  return messages.findLast(message => !isSubAgents(message))?.id ?? ''
}

const none: ReadonlyMap<string, readonly string[]> = new Map()

function hasBranches(messages: readonly Outline[]): boolean {
  return messages.some(({ metadata }) => metadata?.previousMessageId !== undefined)
}

// Whom a sub-agent works for stands before it, and so does what a message follows: one pass is enough for each.
export function treeOf(messages: readonly Outline[]): Tree {
  const previous = new Map<string, string>()
  const roots = new Map<string, string>()
  let last = ''
  for (const message of messages) {
    const { id, metadata } = message
    if (isSubAgents(message)) {
      const parent = metadata?.parent?.messageId ?? last
      roots.set(id, roots.get(parent) ?? parent)
    } else {
      previous.set(id, metadata?.previousMessageId ?? last)
      last = id
    }
  }
  return [previous, roots]
}

function isSubAgents({ metadata }: Outline): boolean {
  return metadata?.agent?.kind === 'sub' || metadata?.parent !== undefined
}

/** The messages on the way to a tip, with those who worked for them. */
function pathTo<Each extends Outline>(
  [previous, roots]: Tree,
  tip: string,
  messages: readonly Each[],
): readonly Each[] {
  const path = new Set<string>()
  // What is saved may be damaged: a circle must not hang the reader.
  for (let id = tip; previous.has(id) && !path.has(id); id = previous.get(id) ?? '') path.add(id)
  return messages.filter(({ id }) => path.has(roots.get(id) ?? id))
}

/** The newest message on a branch through `messageId`. */
function tipUnder([previous]: Tree, messageId = ''): string {
  if (!previous.has(messageId)) return [...previous.keys()].at(-1) ?? ''
  let tip = messageId
  const under = new Set([tip])
  for (const [id, before] of previous) {
    if (!under.has(before)) continue
    under.add(id)
    tip = id
  }
  return tip
}
