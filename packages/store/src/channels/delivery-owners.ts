import { type LogName, logName } from '@throughline/log'
import { type ChatKey, isChatId, isOwnerId } from '@throughline/protocol'
import { confirmed, succeeds } from '../database/confirmed-writes.ts'
import { ofChat, readRows, type StoreDatabase, statement } from '../database/database.ts'
import { channelChatRow } from '../database/schema.ts'
import { isLiveNode, isNotLiveNode } from '../nodes/live-nodes.ts'

/** Which node sends which chat to its channel. */
export interface DeliveryOwners {
  /**
   * Makes a node the only one that sends the chat. Returns false when another node that is alive does so, or when the
   * chat is in no channel.
   */
  claim(chat: ChatKey, nodeId: string): Promise<boolean>
  /** Says that the node does not send the chat any more. */
  release(chat: ChatKey, nodeId: string): Promise<void>
  /** Returns the chats that other nodes send, if these nodes are alive. */
  elsewhere(nodeId: string): Promise<ReadonlySet<LogName>>
}

/** Returns the owners of the deliveries in a database. */
export function createDeliveryOwners(database: StoreDatabase): DeliveryOwners {
  const { build, sql } = database
  return {
    claim(chat, nodeId) {
      const claim = build
        .updateTable('channel_chats')
        .set({ delivered_by: nodeId })
        .where(ofChat(chat))
        .where(({ eb, or }) =>
          or([eb('delivered_by', '=', nodeId), isNotLiveNode(database, 'channel_chats.delivered_by')]),
        )
      return succeeds('no-effect', () => sql.write([statement(claim, { mustChange: true })]))
    },

    async release(chat, nodeId) {
      const release = build
        .updateTable('channel_chats')
        .set({ delivered_by: '' })
        .where(ofChat(chat))
        .where('delivered_by', '=', nodeId)
      await confirmed(() => sql.write([statement(release)]))
    },

    async elsewhere(nodeId) {
      const query = build
        .selectFrom('channel_chats')
        .selectAll()
        .where('delivered_by', '!=', nodeId)
        .where(isLiveNode(database, 'channel_chats.delivered_by'))
      const rows = await readRows(database, query, channelChatRow)
      return new Set(
        rows.flatMap(({ owner_id: ownerId, chat_id: chatId }) =>
          isOwnerId(ownerId) && isChatId(chatId) ? [logName({ ownerId, chatId })] : [],
        ),
      )
    },
  }
}
