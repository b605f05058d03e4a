import { type ChatKey, idRule, isChatId, isOwnerId, type OwnerId, ProblemError } from '@throughline/protocol'

/** A chat, as the application's own code names it. */
export interface NamedChat {
  /**
   * Whose chat it is: the name before the token, or the `ownerId` of `authenticate`. Without both, everybody is `local`.
   */
  readonly ownerId: string
  /** The id of the chat: 1 to 128 letters, digits, `_`, `.`, `:` and `-`. */
  readonly chatId: string
}

/** Checks the ids of a chat. Throws a `ProblemError` (`invalid-id`) for an id that is not allowed. */
export function chatKey({ ownerId, chatId }: NamedChat): ChatKey {
  const owner = ownerKey(ownerId)
  if (isChatId(chatId)) return { ownerId: owner, chatId }
  throw new ProblemError(400, 'invalid-id', `The chat id is not allowed. ${idRule}.`)
}

/** Checks the id of an owner. Throws a `ProblemError` (`invalid-id`) for an id that is not allowed. */
export function ownerKey(ownerId: string): OwnerId {
  if (isOwnerId(ownerId)) return ownerId
  throw new ProblemError(400, 'invalid-id', `The owner id is not allowed. ${idRule}.`)
}
