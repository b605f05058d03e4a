import type { ChatKey } from '@throughline/protocol'
import { damagedRun, readableRun, selectUnfinished } from './damaged-runs.ts'
import { runFrom } from './run-record.ts'
import type { RunFinder } from './runs.ts'
import { type Database, ofChat, readRows, running, runRow } from './schema.ts'

/** Reads runs from the database. */
export function createRunFinder(database: Database): RunFinder {
  // Another process may have marked the chat as removed. Then its runs are gone, although their rows are still there.
  const select = () =>
    database.build
      .selectFrom('runs')
      .selectAll()
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('chats')
              .select('chats.id')
              .whereRef('chats.owner_id', '=', 'runs.owner_id')
              .whereRef('chats.id', '=', 'runs.chat_id')
              .where('chats.removed_at', 'is not', null),
          ),
        ),
      )
  const inChat = (chat: ChatKey) => select().where(ofChat(chat))

  return {
    async active(chat) {
      const [row] = await readRows(database, inChat(chat).where('status', '=', running), runRow)
      return row === undefined ? undefined : runFrom(row)
    },

    async get(ownerId, id) {
      const [row] = await readRows(
        database,
        select().where('owner_id', '=', ownerId).where('id', '=', id),
        runRow,
      )
      return row === undefined ? undefined : runFrom(row)
    },

    async ofUserMessage(chat, id) {
      const first = inChat(chat).where('user_message_id', '=', id).orderBy('after_seq').limit(1)
      const [row] = await readRows(database, first, runRow)
      return row === undefined ? undefined : runFrom(row)
    },

    async lastOfUserMessage(chat, id) {
      const last = inChat(chat)
        .where('user_message_id', '=', id)
        .where('kind', '!=', 'follow-up')
        .orderBy('after_seq', 'desc')
        .limit(1)
      const [row] = await readRows(database, last, runRow)
      return row === undefined ? undefined : runFrom(row)
    },

    async ofAnswer(chat, id) {
      const [row] = await readRows(database, inChat(chat).where('answer_id', '=', id), runRow)
      return row === undefined ? undefined : runFrom(row)
    },

    async unfinished() {
      const [rows = []] = await database.sql.read([selectUnfinished(database.dialect)])
      return rows.flatMap(row => readableRun(row) ?? [])
    },

    async toStop() {
      const query = select().where('status', '=', running).where('stop_requested_at', 'is not', null)
      return (await readRows(database, query, runRow)).map(runFrom)
    },

    async damaged() {
      const [rows = []] = await database.sql.read([selectUnfinished(database.dialect)])
      return rows.filter(row => readableRun(row) === undefined).map(damagedRun)
    },
  }
}
