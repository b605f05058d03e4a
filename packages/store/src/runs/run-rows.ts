import { type ChatKey, isChatId, isMessageId, isOwnerId, isRunId } from '@throughline/protocol'
import type { ChatRemovals } from '../chats/chat-removals.ts'
import {
  chatColumns,
  ofChat,
  readRows,
  running,
  type StoreDatabase,
  statement,
} from '../database/database.ts'
import type { Dialect } from '../database/dialect.ts'
import { runRow, type Schema } from '../database/schema.ts'
import { SqlError, type SqlRow, type Statement } from '../database/sql.ts'
import type { DamagedRun, Run, RunFinder } from './runs.ts'

/** Returns the row of a new run, without its node and its context. */
export function rowOf(run: Run): Omit<Schema['runs'], 'node_id' | 'context'> {
  return {
    ...chatColumns(run),
    id: run.id,
    agent: run.agent,
    user_message_id: run.userMessageId,
    answer_id: run.answerId,
    status: run.status,
    after_seq: run.afterSeq,
    started_at: run.startedAt,
    kind: run.kind,
    attempt: run.attempt ?? 0,
    ended_at: null,
    usage: null,
    stop_requested_at: null,
    stop_requested_by: null,
    sent_digest: run.sentDigest ?? null,
    deaths: deathsText(run),
    quarantine: run.quarantine ?? '',
  }
}

/** Returns the deaths of a run as its row has them. */
export function deathsText({ deaths = [] }: Pick<Run, 'deaths'>): string {
  return deaths.map(nodeId => `${nodeId} `).join('')
}

/** Returns the run of a row. Throws when the row is damaged. */
export function runFrom(row: Schema['runs']): Run {
  const { id, owner_id, chat_id, user_message_id, answer_id } = row
  if (
    !isRunId(id) ||
    !isOwnerId(owner_id) ||
    !isChatId(chat_id) ||
    !isMessageId(user_message_id) ||
    !isMessageId(answer_id)
  ) {
    throw new SqlError('damaged', `The row of run "${id}" is damaged. Restore the database from a backup.`)
  }
  return {
    id,
    ownerId: owner_id,
    chatId: chat_id,
    agent: row.agent,
    userMessageId: user_message_id,
    answerId: answer_id,
    afterSeq: row.after_seq,
    startedAt: row.started_at,
    status: row.status,
    kind: row.kind,
    ...(row.attempt === 0 ? {} : { attempt: row.attempt }),
    ...(row.stop_requested_by === null ? {} : { stopRequestedBy: row.stop_requested_by }),
    ...(row.sent_digest === null ? {} : { sentDigest: row.sent_digest }),
    ...(row.deaths === '' ? {} : { deaths: row.deaths.trimEnd().split(' ') }),
    ...(row.quarantine === '' ? {} : { quarantine: row.quarantine }),
  }
}

/** Reads every unfinished run, with the name of its row, and with what its chat has saved of the log. */
function selectUnfinished({ rowName }: Dialect): Statement {
  return {
    sql: `select ${rowName('runs')} as row_name, chats.saved_seq as saved_seq, runs.* from runs
      left join chats on chats.owner_id = runs.owner_id and chats.id = runs.chat_id
      where runs.status = 'running' and chats.removed_at is null`,
    sets: [[]],
  }
}

/** Returns the run of a row; `undefined` when the row is damaged. */
export function readableRun(row: SqlRow): Run | undefined {
  const { success, data } = runRow.safeParse(row)
  if (!success) return undefined
  try {
    return runFrom(data)
  } catch {
    // One of its ids is not valid.
    return undefined
  }
}

/** Returns what can be read of a damaged row. */
function damagedRun(row: SqlRow): DamagedRun {
  const { id, owner_id: ownerId, chat_id: chatId, user_message_id, answer_id, saved_seq, row_name } = row
  const isInChat = isOwnerId(ownerId) && isChatId(chatId) && typeof saved_seq === 'number'
  return {
    rowName: String(row_name),
    named: { runId: String(id), chatId: String(chatId) },
    id: isRunId(id) ? id : undefined,
    chat: isInChat ? { ownerId, chatId } : undefined,
    userMessageId: isMessageId(user_message_id) ? user_message_id : undefined,
    answerId: isMessageId(answer_id) ? answer_id : undefined,
    agent: String(row['agent']),
    savedSeq: Number(saved_seq ?? 0),
  }
}

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
