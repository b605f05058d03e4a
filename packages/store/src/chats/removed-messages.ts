import type { ChatKey } from '@throughline/protocol'
import { sql } from 'kysely'
import { ofChat, type StoreDatabase } from '../database/database.ts'

/**
 * How long the message ids of a removed chat are remembered. A signed request is valid for five minutes before and after
 * the time in it. So it can be sent again for ten minutes at most.
 */
const rememberedMs = 15 * 60_000

/** A message that came in through a channel, and when. */
export interface Incoming {
  readonly messageId: string
  readonly at: string
}

/** Part of removing a chat that is in a channel: remembers its user messages, so that none of them is taken again. */
export function rememberRemoved(database: StoreDatabase, { ownerId, chatId }: ChatKey, at: string) {
  const { build } = database
  const theirs = build
    .selectFrom('messages')
    .innerJoin('channel_chats', join =>
      join
        .onRef('channel_chats.owner_id', '=', 'messages.owner_id')
        .onRef('channel_chats.chat_id', '=', 'messages.chat_id'),
    )
    .select(['messages.owner_id', 'messages.chat_id', 'messages.id', sql.val(at).as('removed_at')])
    .where('messages.owner_id', '=', ownerId)
    .where('messages.chat_id', '=', chatId)
    .where('messages.role', '=', 'user')
  return build
    .insertInto('removed_messages')
    .columns(['owner_id', 'chat_id', 'message_id', 'removed_at'])
    .expression(theirs)
    .onConflict(conflict =>
      conflict.columns(['owner_id', 'chat_id', 'message_id']).doUpdateSet({ removed_at: at }),
    )
}

/** Forgets the messages that were remembered long enough. */
export function forgetRemoved({ build }: StoreDatabase, at: string) {
  return build.deleteFrom('removed_messages').where('removed_at', '<', rememberedSince(at))
}

/** Selects the row of a message whose chat was removed a short time ago. */
export function findRemoved({ build }: StoreDatabase, chat: ChatKey, message: Incoming) {
  return build
    .selectFrom('removed_messages')
    .select('message_id')
    .where(ofChat(chat))
    .where('message_id', '=', message.messageId)
    .where('removed_at', '>=', rememberedSince(message.at))
}

function rememberedSince(at: string): string {
  return new Date(Date.parse(at) - rememberedMs).toISOString()
}
