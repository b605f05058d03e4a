import { type ChatId, idRule, isChatId } from '@throughline/protocol/ids'
import { ProblemError } from '@throughline/protocol/problem'

/** In the event API chats are called sessions. */
export function sessionIdFrom(value: string | undefined): ChatId {
  if (isChatId(value)) return value
  throw new ProblemError(400, 'invalid-id', `The session id is not allowed. ${idRule}.`)
}
