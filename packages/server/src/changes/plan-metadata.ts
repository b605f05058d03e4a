import { isMessageId, type MessageMetadata } from '@throughline/protocol'
import type { MessageOutline } from '@throughline/store'
import type { Planned } from './planned.ts'

/** New metadata for one message. Fields that it does not have stay as they are. */
export interface MetadataUpdate {
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
