import type { ChatKey } from '@throughline/protocol'
import { voidApprovals } from './approvals.ts'
import { changeMessages } from './change-messages.ts'
import type { ChatRemovals } from './chat-removals.ts'
import { insertChat } from './chats.ts'
import { insertFiles } from './files.ts'
import { createRunFinder } from './find-runs.ts'
import { hideRemovedRuns } from './hide-removed.ts'
import { insertMessage, saveMessage } from './messages.ts'
import { rowOf } from './run-record.ts'
import type { Run, RunEnd, RunStart, Runs } from './runs.ts'
import { type Database, ofChat, type Schema, statement } from './schema.ts'
import { confirmed, SqlError, type Statement, succeeds } from './sql.ts'

/** Returns the runs in a database. */
export function createRuns(
  database: Database,
  removals: Pick<ChatRemovals, 'has' | 'gone' | 'wasInTheWay'>,
): Runs {
  const { build, sql, dialect } = database
  const update = (run: Run) =>
    build
      .updateTable('runs')
      .where('owner_id', '=', run.ownerId)
      .where('id', '=', run.id)
      .where('status', '=', 'running')

  return {
    ...hideRemovedRuns(createRunFinder(database), removals),

    async claim(run, start) {
      const statements = claimStatements(database, run, start)
      for (;;) {
        await removals.gone(run)
        try {
          return await succeeds(
            'constraint',
            () => sql.write(statements),
            () => isSaved(database, run, { status: 'running', ended_at: null }),
          )
        } catch (error) {
          if (!(error instanceof SqlError && error.code === 'no-effect')) throw error
          const wasRemoved = await removals.wasInTheWay(run)
          // A new message makes its chat. So only a removal can have been in the way, even if it is done by now.
          if (start.userMessage === undefined && !wasRemoved) return false
        }
      }
    },

    async save(run, message) {
      const isRunning = statement(update(run).set({ status: 'running' }), { mustChange: true })
      await confirmed(() => sql.write([isRunning, ...saveMessage(database, run, message)]))
    },

    end(run, end) {
      const close = statement(update(run).set({ status: end.status, ended_at: end.at }), { mustChange: true })
      const voided = statement(voidApprovals(database, run, end.at))
      const statements = [close, voided, ...saveEnd(database, run, end)]
      return succeeds(
        'no-effect',
        () => sql.write(statements),
        () => isSaved(database, run, { status: end.status, ended_at: end.at }),
      )
    },

    endDamaged({ rowName, id, chat }, end) {
      const close: Statement = {
        sql: `update runs set status = ?, ended_at = ? where ${dialect.isRow('runs')} and status = 'running'`,
        sets: [[end.status, end.at, rowName]],
        mustChange: true,
      }
      const voided =
        chat === undefined || id === undefined
          ? []
          : [statement(voidApprovals(database, { ownerId: chat.ownerId, id }, end.at))]
      const saved = chat === undefined ? [] : saveEnd(database, chat, end)
      return succeeds('no-effect', () => sql.write([close, ...voided, ...saved]))
    },
  }
}

/** Returns whether the row of a run has these values: whether a claim or an end that nobody confirmed has taken effect. */
async function isSaved(
  { build, sql }: Database,
  { ownerId, id }: Run,
  { status, ended_at }: Pick<Schema['runs'], 'status' | 'ended_at'>,
): Promise<boolean> {
  const row = build
    .selectFrom('runs')
    .select('id')
    .where('owner_id', '=', ownerId)
    .where('id', '=', id)
    .where('status', '=', status)
    .where('ended_at', ended_at === null ? 'is' : '=', ended_at)
  const [rows = []] = await sql.read([statement(row)])
  return rows.length > 0
}

/** Saves the messages of a run that ends, and how far the chat has saved its log. */
function saveEnd(
  database: Database,
  chat: ChatKey,
  { at, seq, messages, changes }: RunEnd,
): readonly Statement[] {
  const saved = database.build
    .updateTable('chats')
    .set({ saved_seq: seq, updated_at: at })
    .where('owner_id', '=', chat.ownerId)
    .where('id', '=', chat.chatId)
  return [
    ...messages.flatMap(message => saveMessage(database, chat, message)),
    ...(changes === undefined ? [] : changeMessages(database, chat, changes)),
    statement(saved),
  ]
}

function claimStatements(
  database: Database,
  run: Run,
  { chat, userMessage, files = [], nodeId = '' }: RunStart,
): readonly Statement[] {
  const { build } = database
  const row = { ...rowOf(run), ended_at: null, node_id: nodeId }
  const insertRun = statement(build.insertInto('runs').values(row))
  const touch = build
    .updateTable('chats')
    .set(({ eb, ref }) => ({
      updated_at: run.startedAt,
      title: eb.case().when('title', '=', '').then(chat.title).else(ref('title')).end(),
    }))
    .where('owner_id', '=', run.ownerId)
    .where('id', '=', run.chatId)
    .where('removed_at', 'is', null)
  // If the removal of the chat has just begun, this changes no row, and the transaction is undone.
  const touchChat = statement(touch, { mustChange: true })
  if (userMessage !== undefined) {
    const makeChat = statement(insertChat(database, run.ownerId, chat))
    return [
      makeChat,
      touchChat,
      insertRun,
      ...insertFiles(database, run, files),
      ...insertMessage(database, run, userMessage),
    ]
  }
  if (run.kind === 'change') return [touchChat, insertRun]
  // A message that is answered once more may have been deleted in the meantime. Then this selects no row, and the
  // transaction is undone.
  const answered = build
    .selectFrom('messages')
    .select('id')
    .where(ofChat(run))
    .where('id', '=', run.userMessageId)
  return [touchChat, insertRun, statement(answered, { mustChange: true })]
}
