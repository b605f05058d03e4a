import type { MessageRecord } from './chat-state.ts'
import type { Rearrangement } from './chunk.ts'
import { type KeyedList, keyedFrom } from './keyed-list.ts'
import { listToArray } from './list.ts'

/**
 * Returns the messages of a chat with some of them deleted or moved. Pure; every message keeps its identity. The cost
 * grows with the length of the chat. That is fine: it happens when a person clicks, never for a chunk of an answer.
 */
export function rearrange(
  messages: KeyedList<MessageRecord>,
  { messageIds, after }: Rearrangement,
): KeyedList<MessageRecord> {
  const all = listToArray(messages.items)
  const isTaken = ({ id }: MessageRecord) => messageIds.includes(id)
  const order = all.filter(record => !isTaken(record))
  if (after !== undefined)
    order.splice(order.findIndex(({ id }) => id === after) + 1, 0, ...all.filter(isTaken))
  return keyedFrom(order)
}
