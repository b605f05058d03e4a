import type { RearrangeChunk, Rearrangement } from '@throughline/protocol/chunk'
import type { MessageId } from '@throughline/protocol/ids'
import type { Planned } from './planned.ts'

/** Returns the entry that removes or moves messages. */
export function rearranged(messageId: MessageId, data: Rearrangement): Planned {
  const chunk: RearrangeChunk = { type: 'data-rearrange', transient: true, data }
  return { messageId, chunk }
}
