import type { ChatId, OwnerId } from '@throughline/protocol/ids'
import type { Position } from '@throughline/protocol/position'
import { type Database, outboxRow, readRows, statement } from './schema.ts'

/** Something on its way to a channel. Written down before it is sent, and settled when the channel has confirmed. */
export interface OutboxItem {
  readonly runId: string
  /** Its place among what the run sends, from 0. */
  readonly index: number
  /** What is sent, and from where to go on after it; the sender's own JSON. */
  readonly body: string
  readonly status: 'pending' | 'sent' | 'failed'
  /** What the channel answered, such as the id of its message. */
  readonly receipt: string | undefined
}

export interface Outbox {
  /** What a chat has on its way, in order. */
  load(ownerId: OwnerId, chatId: ChatId): Promise<readonly OutboxItem[]>
  add(ownerId: OwnerId, chatId: ChatId, item: Pick<OutboxItem, 'runId' | 'index' | 'body'>): Promise<void>
  settle(
    ownerId: OwnerId,
    chatId: ChatId,
    settled: Pick<OutboxItem, 'runId' | 'index' | 'receipt'> & { readonly status: 'sent' | 'failed' },
  ): Promise<void>
  rewrite(ownerId: OwnerId, chatId: ChatId, item: Pick<OutboxItem, 'runId' | 'index' | 'body'>): Promise<void>
  /** Everything up to a position has been delivered: the chat's cursor moves, and its items are forgotten. */
  advance(ownerId: OwnerId, chatId: ChatId, to: Position): Promise<void>
}

export function createOutbox(database: Database): Outbox {
  const { build, sql } = database
  const update = (ownerId: OwnerId, chatId: ChatId, { runId, index }: Pick<OutboxItem, 'runId' | 'index'>) =>
    build
      .updateTable('outbox')
      .where('owner_id', '=', ownerId)
      .where('chat_id', '=', chatId)
      .where('run_id', '=', runId)
      .where('idx', '=', index)

  return {
    async load(ownerId, chatId) {
      const query = build
        .selectFrom('outbox')
        .selectAll()
        .where('owner_id', '=', ownerId)
        .where('chat_id', '=', chatId)
        .orderBy('idx')
      const rows = await readRows(database, query, outboxRow)
      return rows.map(({ run_id, idx, body, status, receipt }) => {
        return { runId: run_id, index: idx, body, status, receipt: receipt ?? undefined }
      })
    },

    async add(ownerId, chatId, { runId, index, body }) {
      const row = {
        owner_id: ownerId,
        chat_id: chatId,
        run_id: runId,
        idx: index,
        body,
        status: 'pending' as const,
        receipt: null,
      }
      await sql.write([statement(build.insertInto('outbox').values(row))])
    },

    async settle(ownerId, chatId, { runId, index, status, receipt }) {
      const change = update(ownerId, chatId, { runId, index }).set({ status, receipt: receipt ?? null })
      await sql.write([statement(change)])
    },

    async rewrite(ownerId, chatId, { runId, index, body }) {
      await sql.write([statement(update(ownerId, chatId, { runId, index }).set({ body }))])
    },

    async advance(ownerId, chatId, { epoch, seq }) {
      const forget = build.deleteFrom('outbox').where('owner_id', '=', ownerId).where('chat_id', '=', chatId)
      const move = build
        .updateTable('channel_chats')
        .set({ delivered_epoch: epoch, delivered_seq: seq })
        .where('owner_id', '=', ownerId)
        .where('chat_id', '=', chatId)
      await sql.write([statement(forget), statement(move)])
    },
  }
}
