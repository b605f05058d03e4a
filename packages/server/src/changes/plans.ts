import {
  type Chunk,
  isMessageId,
  type MessageId,
  type MessageMetadata,
  type RearrangeChunk,
  type Rearrangement,
} from '@throughline/protocol'
import type { MessageOutline } from '@throughline/store'
import { type Turn, turnOf, withoutTurn } from './turn.ts'

/** One entry of a change. All entries of a change are written at once, or none. */
export interface Planned {
  readonly messageId: MessageId
  readonly chunk: Chunk
}

/** Returns the entries that a change writes. It is given the messages while nobody else can change them. */
export type PlanChange = (messages: readonly MessageOutline[]) => readonly Planned[]

/** New metadata for one message. Fields that it does not have stay as they are. */
interface MetadataUpdate {
  readonly id: string
  readonly metadata: MessageMetadata
}

/**
 * Plans to add to the metadata of messages. If the chat does not have one of them, returns the id of the first such
 * message.
 */
export function planMetadata(
  messages: readonly MessageOutline[],
  updates: readonly MetadataUpdate[],
): readonly Planned[] | { readonly unknown: string } {
  const known = new Set(messages.map(({ id }) => id))
  const unknown = updates.find(({ id }) => !known.has(id))
  if (unknown !== undefined) return { unknown: unknown.id }
  return updates.flatMap(({ id, metadata }) => {
    if (!isMessageId(id)) return []
    return [{ messageId: id, chunk: { type: 'message-metadata', messageMetadata: metadata } }]
  })
}

/**
 * Plans to delete a message with everything that belongs to it (see `turnOf`). What followed it then follows the
 * message before it. Returns `undefined` when the chat does not have the message.
 */
export function planDelete(
  messages: readonly MessageOutline[],
  messageId: MessageId,
): readonly Planned[] | undefined {
  const turn = turnOf(messages, messageId)
  if (turn === undefined) return undefined
  const { messageIds } = turn
  const left = messages.filter(({ id }) => !messageIds.includes(id))
  // The links are changed first. So a reader who has read only these entries does not see the deleted message any
  // more.
  return [...relink(left, withoutTurn(turn)), rearranged(messageId, { messageIds })]
}

/** Which message to move, and where to. */
interface Move {
  /** A user's message. Its answers move with it. */
  readonly messageId: MessageId
  /**
   * The message after which it is placed, and after the answers to that message. Empty for the beginning of the chat.
   */
  readonly after: string
}

/** The entries of a move, or why it is not possible. */
type MovePlan =
  | { readonly type: 'planned'; readonly entries: readonly Planned[] }
  | { readonly type: 'refused'; readonly why: 'unknown-message' | 'unknown-place' | 'not-a-question' }

/**
 * Plans to move a user's message with its answers. What followed the new place then follows the last of these
 * answers.
 */
export function planMove(messages: readonly MessageOutline[], { messageId, after }: Move): MovePlan {
  const turn = turnOf(messages, messageId)
  if (turn === undefined) return { type: 'refused', why: 'unknown-message' }
  if (messages.find(({ id }) => id === messageId)?.role !== 'user')
    return { type: 'refused', why: 'not-a-question' }
  const { own, tree } = turn
  if (own.has(after) || (after !== '' && !tree[0].has(after)))
    return { type: 'refused', why: 'unknown-place' }
  return { type: 'planned', entries: entriesOf(messages, turn, { messageId, after }) }
}

function entriesOf(
  messages: readonly MessageOutline[],
  turn: Turn,
  { messageId, after }: Move,
): readonly Planned[] {
  const { messageIds } = turn
  const wanted = withoutTurn(turn)
  const place = after === '' ? '' : lastAnswer(messages, wanted, after)
  const end = lastAnswer(messages, turn.tree[0], messageId)
  for (const [id, before] of wanted) if (before === place) wanted.set(id, end)
  for (const id of turn.own) wanted.set(id, turn.tree[0].get(id) ?? '')
  wanted.set(messageId, place)

  const isTaken = ({ id }: MessageOutline) => messageIds.includes(id)
  const order = messages.filter(message => !isTaken(message))
  const behind = lastBelonging(order, turn, place)
  order.splice(order.findIndex(({ id }) => id === behind) + 1, 0, ...messages.filter(isTaken))
  const notes = relink(order, wanted)
  const isMoved = order.some(({ id }, index) => id !== messages[index]?.id)
  return isMoved ? [...notes, rearranged(messageId, { messageIds, after: behind })] : notes
}

/**
 * Returns the newest answer to a message, or the message itself when it has no answer. Nothing may be placed between
 * a message and its answers.
 */
function lastAnswer(
  messages: readonly MessageOutline[],
  previous: ReadonlyMap<string, string>,
  messageId: string,
): string {
  const answer = messages.findLast(({ id, role }) => role === 'assistant' && previous.get(id) === messageId)
  return answer === undefined ? messageId : lastAnswer(messages, previous, answer.id)
}

/**
 * Returns the last of the sub-agents' messages that stand right after a message and belong to it, or the message
 * itself.
 */
function lastBelonging(
  order: readonly MessageOutline[],
  { tree: [, roots] }: Turn,
  messageId: string,
): string {
  const behind = order.slice(order.findIndex(({ id }) => id === messageId) + 1)
  const next = behind.findIndex(({ id }) => roots.get(id) !== messageId)
  const belonging = next === -1 ? behind : behind.slice(0, next)
  return messageId === '' ? '' : (belonging.at(-1)?.id ?? messageId)
}

/** Returns the entry that removes or moves messages. */
function rearranged(messageId: MessageId, data: Rearrangement): Planned {
  const chunk: RearrangeChunk = { type: 'data-rearrange', transient: true, data }
  return { messageId, chunk }
}

/**
 * Returns the entries that link every message to the message that it is to follow. Most messages need no entry:
 * without a link, a message follows the one before it in the chat's order.
 */
function relink(order: readonly MessageOutline[], wanted: ReadonlyMap<string, string>): readonly Planned[] {
  const notes: Planned[] = []
  let last = ''
  for (const { id, metadata } of order) {
    const previousMessageId = wanted.get(id)
    // The messages of sub-agents have no link. They stand with the answer that they belong to.
    if (previousMessageId === undefined || !isMessageId(id)) continue
    if (previousMessageId !== (metadata?.previousMessageId ?? last))
      notes.push({
        messageId: id,
        chunk: { type: 'message-metadata', messageMetadata: { previousMessageId } },
      })
    last = id
  }
  return notes
}
