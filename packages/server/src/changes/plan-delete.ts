import type { MessageId } from '@throughline/protocol/ids'
import type { MessageOutline } from '@throughline/store/messages'
import type { Planned } from './planned.ts'
import { rearranged } from './rearranged.ts'
import { relink } from './relink.ts'
import { turnOf, withoutTurn } from './turn.ts'

/** Deletes a message with what belongs to it. What followed it follows the message before it. Nothing when it is unknown. */
export function planDelete(
  messages: readonly MessageOutline[],
  messageId: MessageId,
): readonly Planned[] | undefined {
  const turn = turnOf(messages, messageId)
  if (turn === undefined) return undefined
  const { messageIds } = turn
  const left = messages.filter(({ id }) => !messageIds.includes(id))
  // The notes first: whoever has read only them sees the message gone already.
  return [...relink(left, withoutTurn(turn)), rearranged(messageId, { messageIds })]
}
