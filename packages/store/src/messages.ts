import type { ChatKey, Message, MessageId, RunId } from '@throughline/protocol'
import { takeTurns } from '@throughline/protocol/internal'
import { z } from 'zod'
import { loadMessages, partsSql, type SavedChat, savedStatement } from './load-messages.ts'
import { type MessageOutline, messageFrom, outlineFrom } from './message-rows.ts'
import { createMessageTree, type MessageTree } from './message-tree.ts'
import { chatColumns, type Database, messageRow, ofChat, partRow, type Schema, statement } from './schema.ts'
import type { Statement } from './sql.ts'

/** The saved messages of chats. */
export interface Messages extends MessageTree {
  /** Returns the saved messages in order, or `undefined` when there is no such chat. See `loadMessages`. */
  load(chat: ChatKey): Promise<SavedChat | undefined>
  /**
   * Returns the last entry of the log that the saved messages contain, or `undefined` when there is no such chat. It
   * changes whenever a run ends, so two equal numbers mean that the saved messages are the same.
   */
  savedSeq(chat: ChatKey): Promise<number | undefined>
  find(chat: ChatKey, id: MessageId): Promise<Message | undefined>
  /** Returns those of the ids that messages of the chat have. One query, for any number of ids. */
  known(chat: ChatKey, ids: readonly string[]): Promise<ReadonlySet<string>>
  /** Returns all messages in order, without their parts. */
  outline(chat: ChatKey): Promise<readonly MessageOutline[]>
  /** Returns the places of the messages, in order. A message whose run goes on has no place yet. */
  places(chat: ChatKey): Promise<ReadonlyMap<string, number>>
}

/** Returns the messages in a database. */
export function createMessages(database: Database): Messages {
  const { build, sql, dialect } = database
  // Two: while the process works on one slice, the database reads the next.
  const inTurn = takeTurns(2)
  const messagesOf = (chat: ChatKey) => build.selectFrom('messages').selectAll().where(ofChat(chat))
  // The user message of a run that goes on has no place yet. There is at most one, and it comes last.
  const inOrder = (chat: ChatKey) =>
    messagesOf(chat)
      .orderBy(({ eb }) => eb('seq', 'is', null))
      .orderBy('seq')

  const selectKnown = `select messages.id as id from ${dialect.textRows(['id'])} as named
    join messages on messages.id = named.id and messages.owner_id = ? and messages.chat_id = ?`

  return {
    ...createMessageTree(database),

    load: chat => loadMessages({ sql, dialect, inTurn }, chat),

    async savedSeq(chat) {
      const [[row] = []] = await sql.read([savedStatement(chat)])
      return row && z.number().parse(row['saved_seq'])
    },

    async find(chat, id) {
      const [messages, parts] = await sql.read([
        statement(messagesOf(chat).where('id', '=', id)),
        { sql: partsSql, sets: [[chat.ownerId, chat.chatId, id]] },
      ])
      const [row] = z.array(messageRow).parse(messages)
      return row === undefined ? undefined : messageFrom(row, z.array(partRow).parse(parts))
    },

    async known(chat, ids) {
      if (ids.length === 0) return new Set()
      const named = JSON.stringify(ids.map(id => [id]))
      const [rows] = await sql.read([{ sql: selectKnown, sets: [[named, chat.ownerId, chat.chatId]] }])
      return new Set(
        z
          .array(z.object({ id: z.string() }))
          .parse(rows)
          .map(({ id }) => id),
      )
    },

    async outline(chat) {
      const [rows] = await sql.read([statement(inOrder(chat))])
      return z.array(messageRow).parse(rows).map(outlineFrom)
    },

    async places(chat) {
      const [rows] = await sql.read([statement(inOrder(chat))])
      const placed = z.array(messageRow).parse(rows)
      return new Map(placed.flatMap(({ id, seq }) => (seq === null ? [] : [[id, seq]])))
    },
  }
}

/** A message with its run, and with its place in the chat, if it has one yet. */
export interface MessageToSave {
  readonly message: Message
  readonly runId: RunId
  readonly seq: number | undefined
}

/** Writes a new message. Fails with `constraint` when the chat has a message of this id. */
export function insertMessage(database: Database, chat: ChatKey, saved: MessageToSave): readonly Statement[] {
  const [, ...parts] = saveMessage(database, chat, saved)
  return [statement(database.build.insertInto('messages').values(rowOf(chat, saved))), ...parts]
}

/** Writes a message and its parts, or replaces them. Idempotent. */
export function saveMessage({ build }: Database, chat: ChatKey, saved: MessageToSave): readonly Statement[] {
  const { message } = saved
  const values = rowOf(chat, saved)
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
    .where(ofChat(chat))
    .where('message_id', '=', message.id)
    .where('idx', '>=', message.parts.length)
  const parts = message.parts.map((part, idx) => {
    const body = JSON.stringify(part)
    return statement(
      build
        .insertInto('parts')
        .values({ ...chatColumns(chat), message_id: message.id, idx, body })
        .onConflict(conflict =>
          conflict.columns(['owner_id', 'chat_id', 'message_id', 'idx']).doUpdateSet({ body }),
        ),
    )
  })
  return [statement(upsert), statement(surplus), ...parts]
}

function rowOf(chat: ChatKey, { message, runId, seq }: MessageToSave): Schema['messages'] {
  return {
    ...chatColumns(chat),
    id: message.id,
    role: message.role,
    metadata: JSON.stringify(message.metadata ?? {}),
    run_id: runId,
    seq: seq ?? null,
  }
}
