import type { MessageId } from '@throughline/protocol'
import type { MessageOutline } from '@throughline/store'
import { type Planned, rearranged, relink } from './planned.ts'
import { turnOf, withoutTurn } from './turn.ts'

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
