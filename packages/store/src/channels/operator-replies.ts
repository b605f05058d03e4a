import type { ChatKey } from '@throughline/protocol'
import { confirmed, succeeds } from '../database/confirmed-writes.ts'
import {
  type ChatColumns,
  chatColumns,
  ofChat,
  readRows,
  type StoreDatabase,
  statement,
} from '../database/database.ts'
import { operatorReplyRow, type Schema } from '../database/schema.ts'

/** What a person says in place of an agent. It is the text of one answer. */
export interface OperatorReply {
  readonly text: string
  /** The text is in the log. */
  readonly isSaid: boolean
}

/** The records of what people say in place of agents. An answer has at most one text. */
export interface OperatorReplies {
  /**
   * Sets the text of an answer, which may not have begun yet. Returns false when the answer has a text already, or when
   * there is no such chat.
   */
  add(
    chat: ChatKey,
    reply: { readonly answerId: string; readonly text: string; readonly at: string },
  ): Promise<boolean>
  find(chat: ChatKey, answerId: string): Promise<OperatorReply | undefined>
  /** Returns the texts of several answers, of those that have one. */
  findAll<Name extends ReplyName>(names: readonly Name[]): Promise<ReadonlyMap<Name, OperatorReply>>
  /**
   * Takes a text that is about to be said. From now on it cannot be removed. Returns false when it was removed, or said
   * before. Only the process that has the run of the answer may call this.
   */
  take(chat: ChatKey, answerId: string): Promise<boolean>
  /** Notes that the text is in the log. */
  markSaid(chat: ChatKey, answerId: string): Promise<void>
  /**
   * Removes a text, which is then never said. Returns false when it was taken or said before, and when there is none. One
   * that was said stays as long as its chat.
   */
  remove(chat: ChatKey, answerId: string): Promise<boolean>
}

/** Names the text of an answer. */
export interface ReplyName extends ChatKey {
  readonly answerId: string
}

/** The values of the column `said`. */
const [waiting, said, taken] = [0, 1, 2]

/** Returns the replies of operators in a database. */
export function createOperatorReplies(database: StoreDatabase): OperatorReplies {
  const { build, sql } = database

  async function find(chat: ChatKey, answerId: string): Promise<OperatorReply | undefined> {
    const query = build
      .selectFrom('operator_replies')
      .selectAll()
      .where(ofChat(chat))
      .where('answer_id', '=', answerId)
    const [row] = await readRows(database, query, operatorReplyRow)
    return row && replyFrom(row)
  }

  return {
    find,

    findAll: names => findAll(database, names),

    take(chat, answerId) {
      // A text that this process has taken before may be taken again: nobody confirmed it, or the run was continued.
      const take = build
        .updateTable('operator_replies')
        .set({ said: taken })
        .where(ofChat(chat))
        .where('answer_id', '=', answerId)
        .where('said', '!=', said)
      return succeeds('no-effect', () => sql.write([statement(take, { mustChange: true })]))
    },

    add(chat, { answerId, text, at }) {
      const row = { ...chatColumns(chat), answer_id: answerId, text, said: waiting, created_at: at }
      const insert = build
        .insertInto('operator_replies')
        .values(row)
        .onConflict(conflict => conflict.columns(['owner_id', 'chat_id', 'answer_id']).doNothing())
      return succeeds(
        ['no-effect', 'constraint'],
        () => sql.write([statement(insert, { mustChange: true })]),
        async () => (await find(chat, answerId))?.text === text,
      )
    },

    async markSaid(chat, answerId) {
      const update = build
        .updateTable('operator_replies')
        .set({ said })
        .where(ofChat(chat))
        .where('answer_id', '=', answerId)
      await confirmed(() => sql.write([statement(update)]))
    },

    remove(chat, answerId) {
      const remove = build
        .deleteFrom('operator_replies')
        .where(ofChat(chat))
        .where('answer_id', '=', answerId)
        .where('said', '=', waiting)
      return succeeds(
        'no-effect',
        () => sql.write([statement(remove, { mustChange: true })]),
        async () => (await find(chat, answerId)) === undefined,
      )
    },
  }
}

async function findAll<Name extends ReplyName>(
  database: StoreDatabase,
  names: readonly Name[],
): Promise<ReadonlyMap<Name, OperatorReply>> {
  const named = database.dialect.textRows(['owner_id', 'chat_id', 'answer_id'])
  const select = `select operator_replies.* from ${named} as named
    join operator_replies using (owner_id, chat_id, answer_id)`
  const keys = names.map(({ ownerId, chatId, answerId }) => [ownerId, chatId, answerId])
  const query = { sql: select, sets: [[JSON.stringify(keys)]] }
  const rows = await readRows(database, query, operatorReplyRow)
  const found = new Map(rows.map(row => [keyOf(row, row.answer_id), replyFrom(row)]))
  return new Map(
    names.flatMap(name => {
      const reply = found.get(keyOf(chatColumns(name), name.answerId))
      return reply === undefined ? [] : [[name, reply] as const]
    }),
  )
}

function replyFrom({ text, said: state }: Schema['operator_replies']): OperatorReply {
  return { text, isSaid: state === said }
}

function keyOf({ owner_id, chat_id }: ChatColumns, answerId: string): string {
  return JSON.stringify([owner_id, chat_id, answerId])
}
