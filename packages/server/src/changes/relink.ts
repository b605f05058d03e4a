import { isMessageId } from '@throughline/protocol'
import type { MessageOutline } from '@throughline/store'
import type { Planned } from './planned.ts'

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
