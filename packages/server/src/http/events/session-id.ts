import { type ChatId, type ChatKey, idRule, isChatId, ProblemError } from '@throughline/protocol'
import type { HttpContext } from '../context.ts'

/** Returns the session that the path of a request names as `:id`. It belongs to the sender. */
export function sessionFrom(context: HttpContext): ChatKey {
  return { ownerId: context.get('ownerId'), chatId: sessionIdFrom(context.req.param('id')) }
}

/** Returns the id of a session. In the event API a chat is called a session. */
export function sessionIdFrom(value: string | undefined): ChatId {
  if (isChatId(value)) return value
  throw new ProblemError(400, 'invalid-id', `The session id is not allowed. ${idRule}.`)
}
