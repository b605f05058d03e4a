import type { MessageId, RearrangeChunk, Rearrangement } from '@throughline/protocol'
import type { Planned } from './planned.ts'

/** Returns the entry that removes or moves messages. */
export function rearranged(messageId: MessageId, data: Rearrangement): Planned {
  const chunk: RearrangeChunk = { type: 'data-rearrange', transient: true, data }
  return { messageId, chunk }
}
