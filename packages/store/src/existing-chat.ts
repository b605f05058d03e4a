import type { ChatKey } from '@throughline/protocol'
import type { Database } from './schema.ts'

/** Selects a chat that was not removed. */
export function existingChat({ build }: Database, { ownerId, chatId }: ChatKey) {
  return build
    .selectFrom('chats')
    .select('id')
    .where('owner_id', '=', ownerId)
    .where('id', '=', chatId)
    .where('removed_at', 'is', null)
}
