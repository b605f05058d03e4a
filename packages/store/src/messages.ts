import { isRecord } from '@throughline/protocol/chunk'
import type { ChatId, MessageId, OwnerId, RunId } from '@throughline/protocol/ids'
import type { Message, Part } from '@throughline/protocol/message'
import { messageMetadataSchema } from '@throughline/protocol/metadata'
import { z } from 'zod'
import { type Database, messageRow, partRow, readRows, type Schema, statement } from './schema.ts'
import { SqlError, type Statement } from './sql.ts'

/** What the rows say about a chat, and up to which entry of its log. */
export interface SavedChat {
  readonly messages: readonly SavedMessage[]
  readonly savedSeq: number
}

export interface SavedMessage {
  readonly message: Message
  readonly runId: string
}

export interface Messages {
  /** The saved messages in order; `undefined` when there is no such chat. */
  load(ownerId: OwnerId, chatId: ChatId): Promise<SavedChat | undefined>
  find(ownerId: OwnerId, chatId: ChatId, id: MessageId): Promise<Message | undefined>
}

export function createMessages(database: Database): Messages {
  const { build, sql } = database
  const partsOf = (ownerId: OwnerId, chatId: ChatId) =>
    build
      .selectFrom('parts')
      .selectAll()
      .where('owner_id', '=', ownerId)
      .where('chat_id', '=', chatId)
      .orderBy('message_id')
      .orderBy('idx')
  const messagesOf = (ownerId: OwnerId, chatId: ChatId) =>
    build.selectFrom('messages').selectAll().where('owner_id', '=', ownerId).where('chat_id', '=', chatId)

  return {
    async load(ownerId, chatId) {
      const chat = build
        .selectFrom('chats')
        .select('saved_seq')
        .where('owner_id', '=', ownerId)
        .where('id', '=', chatId)
      const [[chatFound] = [], messages, parts] = await sql.read([
        statement(chat),
        // A user message waits without a place while its run goes on; there is one at most, and it is last.
        statement(
          messagesOf(ownerId, chatId)
            .orderBy(({ eb }) => eb('seq', 'is', null))
            .orderBy('seq'),
        ),
        statement(partsOf(ownerId, chatId)),
      ])
      if (chatFound === undefined) return undefined
      const partsById = Map.groupBy(z.array(partRow).parse(parts), part => part.message_id)
      return {
        savedSeq: Number(chatFound['saved_seq']),
        messages: z
          .array(messageRow)
          .parse(messages)
          .map(row => ({ message: messageFrom(row, partsById.get(row.id) ?? []), runId: row.run_id })),
      }
    },

    async find(ownerId, chatId, id) {
      const [row] = await readRows(database, messagesOf(ownerId, chatId).where('id', '=', id), messageRow)
      if (row === undefined) return undefined
      const parts = await readRows(database, partsOf(ownerId, chatId).where('message_id', '=', id), partRow)
      return messageFrom(row, parts)
    },
  }
}

export interface MessageToSave {
  readonly message: Message
  readonly runId: RunId
  readonly seq: number | undefined
}

/** Upserts a message by its id, and its parts by (id, index): saving twice is the same as once. */
export function saveMessage(
  { build }: Database,
  { ownerId, chatId }: { readonly ownerId: OwnerId; readonly chatId: ChatId },
  { message, runId, seq }: MessageToSave,
): readonly Statement[] {
  const key = { owner_id: ownerId, chat_id: chatId }
  const values = {
    ...key,
    id: message.id,
    role: message.role,
    metadata: JSON.stringify(message.metadata ?? {}),
    run_id: runId,
    seq: seq ?? null,
  }
  const upsert = build
    .insertInto('messages')
    .values(values)
    .onConflict(conflict =>
      conflict
        .columns(['owner_id', 'chat_id', 'id'])
        .doUpdateSet({ metadata: values.metadata, seq: values.seq, run_id: values.run_id }),
    )
  const surplus = build
    .deleteFrom('parts')
    .where('owner_id', '=', ownerId)
    .where('chat_id', '=', chatId)
    .where('message_id', '=', message.id)
    .where('idx', '>=', message.parts.length)
  const parts = message.parts.map((part, idx) => {
    const body = JSON.stringify(part)
    return statement(
      build
        .insertInto('parts')
        .values({ ...key, message_id: message.id, idx, body })
        .onConflict(conflict =>
          conflict.columns(['owner_id', 'chat_id', 'message_id', 'idx']).doUpdateSet({ body }),
        ),
    )
  })
  return [statement(upsert), statement(surplus), ...parts]
}

function messageFrom(row: Schema['messages'], parts: readonly Schema['parts'][]): Message {
  const metadata = messageMetadataSchema.parse(JSON.parse(row.metadata))
  const message = { id: row.id, role: row.role, parts: parts.map(({ body }) => partFrom(row.id, body)) }
  return Object.keys(metadata).length === 0 ? message : { ...message, metadata }
}

function partFrom(messageId: string, body: string): Part {
  const part: unknown = JSON.parse(body)
  if (!isPart(part)) throw new SqlError('failed', `A part of message ${messageId} is damaged.`)
  return part
}

// The parts were written by `saveMessage`, so their kind is enough to tell a part from damage.
function isPart(value: unknown): value is Part {
  return isRecord(value) && typeof value['type'] === 'string'
}
