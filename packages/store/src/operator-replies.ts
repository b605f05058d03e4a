import type { ChatKey } from '@throughline/protocol'
import { confirmed, succeeds } from './confirmed-writes.ts'
import { chatColumns, type Database, ofChat, operatorReplyRow, readRows, statement } from './schema.ts'

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
  /** Notes that the text is in the log. */
  markSaid(chat: ChatKey, answerId: string): Promise<void>
  /** Removes a text that will not be said. One that was said stays as long as its chat. */
  remove(chat: ChatKey, answerId: string): Promise<void>
}

/** Returns the replies of operators in a database. */
export function createOperatorReplies(database: Database): OperatorReplies {
  const { build, sql } = database

  async function find(chat: ChatKey, answerId: string): Promise<OperatorReply | undefined> {
    const query = build
      .selectFrom('operator_replies')
      .selectAll()
      .where(ofChat(chat))
      .where('answer_id', '=', answerId)
    const [row] = await readRows(database, query, operatorReplyRow)
    return row && { text: row.text, isSaid: row.said === 1 }
  }

  return {
    find,

    add(chat, { answerId, text, at }) {
      const row = { ...chatColumns(chat), answer_id: answerId, text, said: 0, created_at: at }
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
        .set({ said: 1 })
        .where(ofChat(chat))
        .where('answer_id', '=', answerId)
      await confirmed(() => sql.write([statement(update)]))
    },

    async remove(chat, answerId) {
      const remove = build
        .deleteFrom('operator_replies')
        .where(ofChat(chat))
        .where('answer_id', '=', answerId)
      await confirmed(() => sql.write([statement(remove)]))
    },
  }
}
