import { type ChatKey, isChatId, isOwnerId, type OwnerId, type Position } from '@throughline/protocol'
import type { ChatRemovals } from '../chats/chat-removals.ts'
import { type ChatRecord, insertChat } from '../chats/chats.ts'
import { findRemoved, type Incoming } from '../chats/removed-messages.ts'
import { succeeds } from '../database/confirmed-writes.ts'
import { ofChat, readRows, type StoreDatabase, statement } from '../database/database.ts'
import { channelChatRow, type Schema } from '../database/schema.ts'
import { SqlError, type Statement } from '../database/sql.ts'

/** A chat that people also see in a channel. */
export interface ChannelChat extends ChatKey {
  /** The channel's name in the configuration. */
  readonly channel: string
  /** Where in the channel. Only the channel knows what this text means. */
  readonly target: string
  /** Everything up to this position has been delivered. The epoch is empty when nothing has been delivered yet. */
  readonly delivered: Position
  /** The name of the person who has taken the chat over, and answers in place of the agent. */
  readonly takenOverBy: string | undefined
}

/** How a chat is tied to a channel. */
export interface Tie extends Pick<ChannelChat, 'channel' | 'target'> {
  /** The message that came in through the channel, if the chat is tied because of it. */
  readonly incoming?: Incoming | undefined
}

/** The records that tie chats to channels. */
export interface ChannelChats {
  /**
   * Ties a chat to a channel, and makes the chat if it does not exist. A chat that is tied already only gets the new
   * channel and target. Returns false, and changes nothing, when the incoming message was removed with its chat a short
   * time ago: then somebody has sent that message once more, and it must not be taken again.
   */
  tie(ownerId: OwnerId, chat: ChatRecord, tie: Tie): Promise<boolean>
  get(chat: ChatKey): Promise<ChannelChat | undefined>
  /** Returns every chat of every owner whose log has entries that were not delivered. */
  undelivered(): Promise<readonly ChannelChat[]>
  /** Sets or clears who has taken the chat over. Returns false when the chat is in no channel. */
  takeOver(chat: ChatKey, by: string | undefined): Promise<boolean>
}

/** Returns the channel chats in a database. */
export function createChannelChats(
  database: StoreDatabase,
  removals: Pick<ChatRemovals, 'waitWhileRemoving' | 'waitUntilRemoved'>,
): ChannelChats {
  const { build, sql, dialect } = database
  const select = () => build.selectFrom('channel_chats').selectAll('channel_chats')

  return {
    async tie(ownerId, chat, tie) {
      const key = { ownerId, chatId: chat.id }
      const statements = tieStatements(database, { ownerId, chat, tie })
      for (;;) {
        await removals.waitWhileRemoving(key)
        if (await succeeds('no-effect', () => sql.write(statements))) return true
        // Either the message was removed, or the chat was being removed. That may be done by now.
        await removals.waitUntilRemoved(key)
        if (tie.incoming === undefined) continue
        const [rows = []] = await sql.read([statement(findRemoved(database, key, tie.incoming))])
        if (rows.length > 0) return false
      }
    },

    async get(chat) {
      const query = select().where(ofChat(chat))
      const [row] = await readRows(database, query, channelChatRow)
      return row === undefined ? undefined : channelChatFrom(row)
    },

    async undelivered() {
      const [rows = []] = await sql.read([{ sql: dialect.undelivered, sets: [[]] }])
      return rows.map(row => channelChatFrom(channelChatRow.parse(row)))
    },

    takeOver(chat, by) {
      const update = build
        .updateTable('channel_chats')
        .set({ taken_over_by: by ?? null })
        .where(ofChat(chat))
      return succeeds('no-effect', () => sql.write([statement(update, { mustChange: true })]))
    },
  }
}

function tieStatements(
  database: StoreDatabase,
  { ownerId, chat, tie }: { readonly ownerId: OwnerId; readonly chat: ChatRecord; readonly tie: Tie },
): readonly Statement[] {
  const { build } = database
  const { channel, target, incoming } = tie
  // Locks the row of the chat, so that a removal is either done before the next statement looks for what was removed, or
  // begins after this transaction.
  const lock = build
    .updateTable('chats')
    .set(({ ref }) => ({ updated_at: ref('updated_at') }))
    .where('owner_id', '=', ownerId)
    .where('id', '=', chat.id)
    .where('removed_at', 'is', null)
  const row = build
    .selectNoFrom(({ val, lit }) => [
      val(ownerId).as('owner_id'),
      val(chat.id).as('chat_id'),
      val(channel).as('channel'),
      val(target).as('target'),
      val('').as('delivered_epoch'),
      lit(0).as('delivered_seq'),
    ])
    .where(({ lit, not, exists }) =>
      incoming === undefined
        ? lit(true)
        : not(exists(findRemoved(database, { ownerId, chatId: chat.id }, incoming))),
    )
  const insert = build
    .insertInto('channel_chats')
    .columns(['owner_id', 'chat_id', 'channel', 'target', 'delivered_epoch', 'delivered_seq'])
    .expression(row)
    .onConflict(conflict => conflict.columns(['owner_id', 'chat_id']).doUpdateSet({ channel, target }))
  return [
    statement(insertChat(database, ownerId, chat)),
    statement(lock, { mustChange: true }),
    statement(insert, { mustChange: true }),
  ]
}

function channelChatFrom(row: Schema['channel_chats']): ChannelChat {
  const { owner_id, chat_id, channel, target, taken_over_by } = row
  if (!isOwnerId(owner_id) || !isChatId(chat_id)) {
    throw new SqlError('damaged', `The row of channel chat "${chat_id}" is damaged.`)
  }
  return {
    ownerId: owner_id,
    chatId: chat_id,
    channel,
    target,
    delivered: { epoch: row.delivered_epoch, seq: row.delivered_seq },
    takenOverBy: taken_over_by ?? undefined,
  }
}
