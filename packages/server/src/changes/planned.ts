import {
  type Chunk,
  isMessageId,
  type MessageId,
  type MessageMetadata,
  type RearrangeChunk,
  type Rearrangement,
} from '@throughline/protocol'
import type { MessageOutline } from '@throughline/store'

/** One entry of a change. All entries of a change are written at once, or none. */
export interface Planned {
  readonly messageId: MessageId
  readonly chunk: Chunk
}

/** Returns the entries that a change writes. It is given the messages while nobody else can change them. */
export type PlanChange = (messages: readonly MessageOutline[]) => readonly Planned[]

/** Returns the entry that removes or moves messages. */
export function rearranged(messageId: MessageId, data: Rearrangement): Planned {
  const chunk: RearrangeChunk = { type: 'data-rearrange', transient: true, data }
  return { messageId, chunk }
}

/**
 * Returns the entries that link every message to the message that it is to follow. Most messages need no entry:
 * without a link, a message follows the one before it in the chat's order.
 */
export function relink(
  order: readonly MessageOutline[],
  wanted: ReadonlyMap<string, string>,
): readonly Planned[] {
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
