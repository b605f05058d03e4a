import type { ChatKey } from '@throughline/protocol'
import { ofChat, type StoreDatabase, statement } from '../database/database.ts'
import type { Statement } from '../database/sql.ts'
import { forgetRemoved, rememberRemoved } from './removed-messages.ts'

/** The right to delete the rows of removed chats, in a database that several processes use. */
export interface RemovalLease {
  /** Names this process. */
  readonly holder: string
  /** How long after its last sign of life a process has this right, in milliseconds. */
  readonly ms: number
}

/** Marks the chat as removed. What is small, or can be found without the chat, is deleted in the same transaction. */
export function markStatements(database: StoreDatabase, chat: ChatKey, at: string): readonly Statement[] {
  const { build } = database
  const mark = build
    .updateTable('chats')
    .set({ removed_at: at })
    .where('owner_id', '=', chat.ownerId)
    .where('id', '=', chat.chatId)
    .where('removed_at', 'is', null)
  return [
    statement(mark, { mustChange: true }),
    statement(forgetRemoved(database, at)),
    statement(rememberRemoved(database, chat, at)),
    statement(build.deleteFrom('channel_chats').where(ofChat(chat))),
    statement(build.deleteFrom('approvals').where(ofChat(chat))),
    statement(build.deleteFrom('files').where(ofChat(chat))),
    statement(build.deleteFrom('waiting_submissions').where(ofChat(chat))),
    statement(build.deleteFrom('operator_replies').where(ofChat(chat))),
  ]
}

/** Takes the lease of a chat that was just marked in the same transaction. */
export function takeStatement(
  { dialect }: StoreDatabase,
  chat: ChatKey,
  { holder, ms }: RemovalLease,
): Statement {
  return {
    sql: `update chats set removal_by = ?, removal_until = ${dialect.now} + ? where owner_id = ? and id = ?`,
    sets: [[holder, ms, chat.ownerId, chat.chatId]],
  }
}

/** Renews the lease of a chat. Undoes its transaction if another process has the lease, or the chat is gone. */
export function renewStatement(
  { dialect }: StoreDatabase,
  chat: ChatKey,
  { holder, ms }: RemovalLease,
): Statement {
  return {
    sql: `update chats set removal_until = ${dialect.now} + ?
      where owner_id = ? and id = ? and removed_at is not null and removal_by = ?`,
    sets: [[ms, chat.ownerId, chat.chatId, holder]],
    mustChange: true,
  }
}

/** Takes over the removals whose process has given no sign of life for too long. Returns their chats. */
export function adoptStatement({ dialect }: StoreDatabase, { holder, ms }: RemovalLease): Statement {
  return {
    sql: `update chats set removal_by = ?, removal_until = ${dialect.now} + ?
      where removed_at is not null and (removal_by is null or removal_until < ${dialect.now})
      returning owner_id, id`,
    sets: [[holder, ms]],
  }
}

/** Deletes some of the rows of a chat. Undoes its transaction when there are none left. */
export function sliceStatements({ ownerId, chatId }: ChatKey): readonly Statement[] {
  return slices.map(sql => ({ sql, sets: [[ownerId, chatId]], mustChange: true }))
}

// A part may be large, so fewer of them are deleted at a time. A share may be as large as a chat.
const slices = [
  sliceOf('shares', 'key', 1),
  sliceOf('parts', 'owner_id, chat_id, message_id, idx', 200),
  sliceOf('messages', 'owner_id, chat_id, id', 1_000),
  sliceOf('runs', 'owner_id, id', 1_000),
]

function sliceOf(table: string, key: string, count: number): string {
  return `delete from ${table} where (${key}) in
    (select ${key} from ${table} where owner_id = ? and chat_id = ? limit ${count})`
}

/** Deletes the row of a removed chat. */
export function lastStatement({ build }: StoreDatabase, chat: ChatKey): Statement {
  return statement(
    build
      .deleteFrom('chats')
      .where('owner_id', '=', chat.ownerId)
      .where('id', '=', chat.chatId)
      .where('removed_at', 'is not', null),
  )
}

/** Selects the row of a chat if it is marked as removed. */
export function markedStatement({ ownerId, chatId }: ChatKey): Statement {
  return {
    sql: 'select id from chats where owner_id = ? and id = ? and removed_at is not null',
    sets: [[ownerId, chatId]],
  }
}

/** Selects all chats that are marked as removed. */
export const allMarked: Statement = {
  sql: 'select owner_id, id from chats where removed_at is not null',
  sets: [[]],
}
