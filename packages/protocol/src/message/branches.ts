import { groupBy } from '../values/group-by.ts'
import type { Message } from './message.ts'

/** The fields of a message that say where it stands in its chat. */
type Outline = Pick<Message, 'id' | 'role' | 'metadata'>

/**
 * The messages of a chat form a tree. They are stored in the order in which they began. A message follows the message
 * before it, unless its `metadata.previousMessageId` names another one (or none, when that is an empty string).
 * A path from the root to a tip is a branch. Messages of sub-agents are on the branch of the answer they worked for.
 */
export type Tree = readonly [
  /** For each message that is not a sub-agent's: the id of the message it follows; empty when it follows none. */
  previous: ReadonlyMap<string, string>,
  /** For each message of a sub-agent: the id of the master's message at the top of its lineage. */
  roots: ReadonlyMap<string, string>,
]

/**
 * Returns the messages of the branch that `messageId` is on, down to its newest tip. Returns the newest branch when
 * there is no such message. A chat without branches is returned as the same array.
 */
export function branchOf<Each extends Outline>(
  messages: readonly Each[],
  messageId?: string,
): readonly Each[] {
  if (!hasBranches(messages)) return messages
  const tree = treeOf(messages)
  return pathTo(tree, tipUnder(tree, messageId), messages)
}

/** Returns one message and the messages before it on its branch, and nothing that came later. */
export function branchUpTo<Each extends Outline>(
  messages: readonly Each[],
  messageId: string,
): readonly Each[] {
  return pathTo(treeOf(messages), messageId, messages)
}

/** Returns the versions of every message that has more than one, by message id; oldest version first. */
export function allVersions(messages: readonly Outline[]): ReadonlyMap<string, readonly string[]> {
  if (!hasBranches(messages)) return none
  const [previous] = treeOf(messages)
  const roles = new Map(messages.map(({ id, role }) => [id, role]))
  const places = groupBy(previous.keys(), id => `${roles.get(id)} ${previous.get(id)}`)
  return new Map(
    [...places.values()].flatMap(ids => (ids.length > 1 ? ids.map(id => [id, ids] as const) : [])),
  )
}

/** Returns the last message of every branch, in the order in which they began. The newest branch comes last. */
export function tipsOf<Each extends Outline>(messages: readonly Each[]): readonly Each[] {
  const [previous] = treeOf(messages)
  const followed = new Set(previous.values())
  return messages.filter(({ id }) => previous.has(id) && !followed.has(id))
}

/**
 * Returns the id of the message that a message follows: empty for the first message, `undefined` for an unknown one.
 */
export function previousOf(messages: readonly Outline[], messageId: string): string | undefined {
  return treeOf(messages)[0].get(messageId)
}

/** Returns for each message that is not a sub-agent's the id of the message it follows; empty when it follows none. */
export function allPrevious(messages: readonly Outline[]): ReadonlyMap<string, string> {
  return treeOf(messages)[0]
}

/** Returns for each message of a sub-agent the id of the master's message at the top of its lineage. */
export function rootsOf(messages: readonly Outline[]): ReadonlyMap<string, string> {
  return treeOf(messages)[1]
}

/**
 * Returns for each message how many messages `branchUpTo` would return. Counts all of them in one pass, because a long
 * chat may have many branches.
 */
export function branchLengths(messages: readonly Outline[]): ReadonlyMap<string, number> {
  const [previous, roots] = treeOf(messages)
  const standing = groupBy(messages, ({ id }) => roots.get(id) ?? id)
  const lengths = new Map<string, number>()
  for (const [id, before] of previous)
    lengths.set(id, (lengths.get(before) ?? 0) + (standing.get(id)?.length ?? 0))
  return lengths
}

/** Returns the id of the last message that is not a sub-agent's. By default the next message follows this one. */
export function lastIn(messages: readonly Outline[]): string {
  return messages.findLast(message => !isSubAgents(message))?.id ?? ''
}

const none: ReadonlyMap<string, readonly string[]> = new Map()

function hasBranches(messages: readonly Outline[]): boolean {
  return messages.some(({ metadata }) => metadata?.previousMessageId !== undefined)
}

// One pass is enough: a message always comes after the message it follows, and after the message it works for.
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

/** Returns the messages on the path to a tip, with the messages of their sub-agents. */
function pathTo<Each extends Outline>(
  [previous, roots]: Tree,
  tip: string,
  messages: readonly Each[],
): readonly Each[] {
  const path = new Set<string>()
  // Stored messages may be damaged. If they follow each other in a circle, this loop must still end.
  for (let id = tip; previous.has(id) && !path.has(id); id = previous.get(id) ?? '') path.add(id)
  return messages.filter(({ id }) => path.has(roots.get(id) ?? id))
}

/** Returns the newest message on any branch through `messageId`; the newest of all when there is no such message. */
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
