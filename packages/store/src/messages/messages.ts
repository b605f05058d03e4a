import type { ChatKey, Message, MessageId, MessageMetadata, RunId } from '@throughline/protocol'
import { limitConcurrency } from '@throughline/protocol/internal'
import { z } from 'zod'
import type { ChatRemovals } from '../chats/chat-removals.ts'
import { chatColumns, ofChat, type StoreDatabase, statement } from '../database/database.ts'
import { messageRow, partRow, type Schema } from '../database/schema.ts'
import type { Statement } from '../database/sql.ts'
import { loadMessages, partsSql, type SavedMessages, savedStatement } from './load-messages.ts'
import { type MessageOutline, messageFromRow, outlineFrom } from './message-rows.ts'
import { createMessageTree, type MessageTree } from './message-tree.ts'

/** The saved messages of chats. */
export interface Messages extends MessageTree {
  /** Returns the saved messages in order, or `undefined` when there is no such chat. See `loadMessages`. */
  load(chat: ChatKey): Promise<SavedMessages | undefined>
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
export function createMessages(database: StoreDatabase): Messages {
  const { build, sql, dialect } = database
  // Two: while the process works on one slice, the database reads the next.
  const inTurn = limitConcurrency(2)
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
      return row === undefined ? undefined : messageFromRow(row, z.array(partRow).parse(parts))
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

/** Returns the same messages, without those of chats that are being removed. */
export function hideRemovedMessages(
  messages: Messages,
  removals: Pick<ChatRemovals, 'has' | 'isMarked'>,
): Messages {
  const hide =
    <Rest extends readonly unknown[], Result>(
      read: (chat: ChatKey, ...rest: Rest) => Promise<Result>,
      nothing: Result,
    ) =>
    async (chat: ChatKey, ...rest: Rest): Promise<Result> => {
      if (removals.has(chat)) return nothing
      const result = await read(chat, ...rest)
      // If a removal has begun in the meantime, some of the rows may have been deleted before they were read.
      return (await removals.isMarked(chat)) ? nothing : result
    }
  return {
    load: hide(messages.load, undefined),
    savedSeq: hide(messages.savedSeq, undefined),
    find: hide(messages.find, undefined),
    known: hide(messages.known, new Set()),
    outline: hide(messages.outline, []),
    places: hide(messages.places, new Map()),
    branch: hide(messages.branch, { messages: [], hasOlder: false }),
    subAgents: hide(messages.subAgents, new Map()),
    previous: hide(messages.previous, undefined),
    root: hide(messages.root, undefined),
    last: hide(messages.last, ''),
  }
}

/** A message with its run, and with its place in the chat, if it has one yet. */
export interface MessageToSave {
  readonly message: Message
  readonly runId: RunId
  readonly seq: number | undefined
}

/** Writes a new message. Fails with `constraint` when the chat has a message of this id. */
export function insertMessage(
  database: StoreDatabase,
  chat: ChatKey,
  saved: MessageToSave,
): readonly Statement[] {
  const [, ...parts] = saveMessage(database, chat, saved)
  return [statement(database.build.insertInto('messages').values(rowOf(chat, saved))), ...parts]
}

/** Writes a message and its parts, or replaces them. Idempotent. */
export function saveMessage(
  { build }: StoreDatabase,
  chat: ChatKey,
  saved: MessageToSave,
): readonly Statement[] {
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

/** Changes of saved messages, by the ids of the messages. */
export interface MessageChanges {
  readonly removed: readonly string[]
  /** The new places of messages that were moved; see `Messages.places`. */
  readonly places: ReadonlyMap<string, number>
  /** The whole new metadata of messages whose metadata has changed. */
  readonly metadata: ReadonlyMap<string, MessageMetadata>
}

/** Part of the end of a run: removes and moves messages, and replaces their metadata. Idempotent. */
export function changeMessages(
  { build }: StoreDatabase,
  chat: ChatKey,
  { removed, places, metadata }: MessageChanges,
): readonly Statement[] {
  const update = (id: string) => build.updateTable('messages').where(ofChat(chat)).where('id', '=', id)
  // The database deletes the parts of a message with it.
  const remove = (id: string) => build.deleteFrom('messages').where(ofChat(chat)).where('id', '=', id)
  return [
    ...removed.map(id => statement(remove(id))),
    ...Array.from(places, ([id, seq]) => statement(update(id).set({ seq }))),
    ...Array.from(metadata, ([id, said]) => statement(update(id).set({ metadata: JSON.stringify(said) }))),
  ]
}
