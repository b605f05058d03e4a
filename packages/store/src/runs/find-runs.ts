import type { ChatKey } from '@throughline/protocol'
import type { ChatRemovals } from '../chats/chat-removals.ts'
import { ofChat, readRows, running, type StoreDatabase, statement } from '../database/database.ts'
import { runRow } from '../database/schema.ts'
import { damagedRun, readableRun, runFrom, selectUnfinished } from './run-rows.ts'
import type { Run, RunFinder } from './runs.ts'

/** Reads runs from the database. */
export function createRunFinder(database: StoreDatabase): RunFinder {
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

/** Returns the same finder, which does not find the runs of chats that are being removed. */
export function hideRemovedRuns(runs: RunFinder, removals: Pick<ChatRemovals, 'has'>): RunFinder {
  const visible = (run: Run | undefined) => (run === undefined || removals.has(run) ? undefined : run)
  return {
    active: async chat => visible(await runs.active(chat)),
    get: async (ownerId, id) => visible(await runs.get(ownerId, id)),
    ofUserMessage: async (chat, id) => visible(await runs.ofUserMessage(chat, id)),
    lastOfUserMessage: async (chat, id) => visible(await runs.lastOfUserMessage(chat, id)),
    ofAnswer: async (chat, id) => visible(await runs.ofAnswer(chat, id)),
    unfinished: async () => (await runs.unfinished()).filter(run => !removals.has(run)),
    toStop: async () => (await runs.toStop()).filter(run => !removals.has(run)),
    damaged: async () =>
      (await runs.damaged()).filter(({ chat }) => chat === undefined || !removals.has(chat)),
  }
}
