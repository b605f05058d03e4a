import type { ChatKey, Position } from '@throughline/protocol'
import type { OutboxItem, OutboxItemBody, SettledOutboxItem } from '@throughline/protocol/internal'
import { chatColumns, type Database, ofChat, outboxRow, readRows, statement } from './schema.ts'
import { confirmed, insertedOnce } from './sql.ts'

/** The outbox items of chats. */
export interface Outbox {
  /** Returns the items of a chat, in order. */
  load(chat: ChatKey): Promise<readonly OutboxItem[]>
  /** Saves a new item, before it is sent. */
  add(chat: ChatKey, item: OutboxItemBody): Promise<void>
  /** Saves that the channel has taken the item, or never will. */
  settle(chat: ChatKey, settled: SettledOutboxItem): Promise<void>
  /** Replaces the body of an item, such as when the message is edited in the channel. */
  rewrite(chat: ChatKey, item: OutboxItemBody): Promise<void>
  /** Saves that everything up to a position has been delivered, and removes the items of the chat. */
  advance(chat: ChatKey, to: Position): Promise<void>
}

/** Returns the outbox in a database. */
export function createOutbox(database: Database): Outbox {
  const { build, sql } = database
  const update = (chat: ChatKey, { runId, index }: Pick<OutboxItem, 'runId' | 'index'>) =>
    build.updateTable('outbox').where(ofChat(chat)).where('run_id', '=', runId).where('idx', '=', index)

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
      await insertedOnce(() => sql.write([statement(build.insertInto('outbox').values(row))]))
    },

    async settle(chat, { runId, index, status, receipt }) {
      const change = update(chat, { runId, index }).set({ status, receipt: receipt ?? null })
      await confirmed(() => sql.write([statement(change)]))
    },

    async rewrite(chat, { runId, index, body }) {
      await confirmed(() => sql.write([statement(update(chat, { runId, index }).set({ body }))]))
    },

    async advance(chat, { epoch, seq }) {
      const forget = build.deleteFrom('outbox').where(ofChat(chat))
      const move = build
        .updateTable('channel_chats')
        .set({ delivered_epoch: epoch, delivered_seq: seq })
        .where(ofChat(chat))
      await confirmed(() => sql.write([statement(forget), statement(move)]))
    },
  }
}
