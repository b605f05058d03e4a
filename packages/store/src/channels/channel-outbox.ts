import type { ChatKey, Position } from '@throughline/protocol'
import type { OutboxItem, OutboxItemBody, SettledOutboxItem } from '@throughline/protocol/internal'
import type { Compilable } from 'kysely'
import { confirmed, insertedOnce } from '../database/confirmed-writes.ts'
import { chatColumns, ofChat, readRows, type StoreDatabase, statement } from '../database/database.ts'
import { outboxRow } from '../database/schema.ts'
import type { Statement } from '../database/sql.ts'

/** A chat that is sent to its channel. */
export interface ChatDelivery extends ChatKey {
  /**
   * The node that sends it. Writes throw the `SqlError` `no-effect`, and change nothing, when another node does so by
   * now. Default: any process may write, for a store that only one process uses.
   */
  readonly nodeId?: string | undefined
}

/** The outbox items of chats. */
export interface ChannelOutbox {
  /** Returns the items of a chat, in order. */
  load(chat: ChatKey): Promise<readonly OutboxItem[]>
  /** Saves a new item, before it is sent. */
  add(delivery: ChatDelivery, item: OutboxItemBody): Promise<void>
  /** Saves that the channel has taken the item, or never will. */
  settle(delivery: ChatDelivery, settled: SettledOutboxItem): Promise<void>
  /** Replaces the body of an item, such as when the message is edited in the channel. */
  rewrite(delivery: ChatDelivery, item: OutboxItemBody): Promise<void>
  /** Saves that everything up to a position has been delivered, and removes the items of the chat. */
  advance(delivery: ChatDelivery, to: Position): Promise<void>
}

/** Returns the outbox in a database. */
export function createChannelOutbox(database: StoreDatabase): ChannelOutbox {
  const { build, sql } = database
  const update = (chat: ChatKey, { runId, index }: Pick<OutboxItem, 'runId' | 'index'>) =>
    build.updateTable('outbox').where(ofChat(chat)).where('run_id', '=', runId).where('idx', '=', index)
  const write = async (delivery: ChatDelivery, queries: readonly Compilable[]) => {
    const changes = queries.map(query => statement(query))
    await sql.write([...stillSending(database, delivery), ...changes])
  }

  return {
    async load(chat) {
      const query = build.selectFrom('outbox').selectAll().where(ofChat(chat)).orderBy('idx')
      const rows = await readRows(database, query, outboxRow)
      return rows.map(({ run_id, idx, body, status, receipt }) => {
        return { runId: run_id, index: idx, body, status, receipt: receipt ?? undefined }
      })
    },

    async add(chat, { runId, index, body }) {
      const row = {
        ...chatColumns(chat),
        run_id: runId,
        idx: index,
        body,
        status: 'pending' as const,
        receipt: null,
      }
      await insertedOnce(() => write(chat, [build.insertInto('outbox').values(row)]))
    },

    async settle(chat, { runId, index, status, receipt }) {
      const change = update(chat, { runId, index }).set({ status, receipt: receipt ?? null })
      await confirmed(() => write(chat, [change]))
    },

    async rewrite(chat, { runId, index, body }) {
      await confirmed(() => write(chat, [update(chat, { runId, index }).set({ body })]))
    },

    async advance(chat, { epoch, seq }) {
      const forget = build.deleteFrom('outbox').where(ofChat(chat))
      const move = build
        .updateTable('channel_chats')
        .set({ delivered_epoch: epoch, delivered_seq: seq })
        .where(ofChat(chat))
      await confirmed(() => write(chat, [forget, move]))
    },
  }
}

/** If the node does not send the chat any more, this changes no row, and the transaction is undone. */
function stillSending({ build }: StoreDatabase, { nodeId, ...chat }: ChatDelivery): readonly Statement[] {
  if (nodeId === undefined) return []
  const touch = build
    .updateTable('channel_chats')
    .set({ delivered_by: nodeId })
    .where(ofChat(chat))
    .where('delivered_by', '=', nodeId)
  return [statement(touch, { mustChange: true })]
}
