import { isMessageId } from '@throughline/protocol/ids'
import type { MessageOutline } from '@throughline/store/messages'
import type { Planned } from './planned.ts'

/**
 * The notes that make every message follow the one that it is to follow. Most need none: without a note, a message
 * follows the one before it in the chat's order.
 */
export function relink(
  order: readonly MessageOutline[],
  wanted: ReadonlyMap<string, string>,
): readonly Planned[] {
  const notes: Planned[] = []
  let last = ''
  for (const { id, metadata } of order) {
    const previousMessageId = wanted.get(id)
    // Sub-agents' messages follow nothing: they stand with their answers.
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
