import type { ChatKey } from '@throughline/protocol'
import { damagedRun, readableRun, selectUnfinished } from './damaged-runs.ts'
import { runFrom } from './run-record.ts'
import type { Run, RunFinder } from './runs.ts'
import { type Database, ofChat, readRows, running, runRow, statement } from './schema.ts'

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

  async function first(query: ReturnType<typeof select>): Promise<Run | undefined> {
    const [row] = await readRows(database, query, runRow)
    return row === undefined ? undefined : runFrom(row)
  }

  return {
    active: chat => first(inChat(chat).where('status', '=', running)),

    get: (ownerId, id) => first(select().where('owner_id', '=', ownerId).where('id', '=', id)),

    ofUserMessage: (chat, id) =>
      first(inChat(chat).where('user_message_id', '=', id).orderBy('after_seq').limit(1)),

    lastOfUserMessage: (chat, id) =>
      first(
        inChat(chat)
          .where('user_message_id', '=', id)
          .where('kind', '!=', 'follow-up')
          .orderBy('after_seq', 'desc')
          .limit(1),
      ),

    ofAnswer: (chat, id) => first(inChat(chat).where('answer_id', '=', id)),

    async unfinished() {
      const [rows = []] = await database.sql.read([selectUnfinished(database.dialect)])
      return rows.flatMap(row => readableRun(row) ?? [])
    },

    async toStop() {
      const query = select().where('status', '=', running).where('stop_requested_at', 'is not', null)
      const [rows = []] = await database.sql.read([statement(query)])
      return rows.flatMap(row => readableRun(row) ?? [])
    },

    async damaged() {
      const [rows = []] = await database.sql.read([selectUnfinished(database.dialect)])
      return rows.filter(row => readableRun(row) === undefined).map(damagedRun)
    },
  }
}
