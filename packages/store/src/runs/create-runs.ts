import { logName } from '@throughline/log'
import type { ChatKey } from '@throughline/protocol'
import { yieldEvery } from '@throughline/protocol/internal'
import type { ChatRemovals } from '../chats/chat-removals.ts'
import { insertChat } from '../chats/chats.ts'
import { confirmed, succeeds } from '../database/confirmed-writes.ts'
import { ofChat, readRows, running, type StoreDatabase, statement } from '../database/database.ts'
import { runRow, type Schema } from '../database/schema.ts'
import { SqlError, type Statement } from '../database/sql.ts'
import { insertFiles } from '../files/files.ts'
import { changeMessages, insertMessage, saveMessage } from '../messages/messages.ts'
import { addUsage } from '../owners/usage-days.ts'
import { selectEmptyQueue, takeFromQueue } from '../queue/waiting-submissions.ts'
import { voidApprovals } from './approvals.ts'
import { createRunFinder, hideRemovedRuns, rowOf } from './run-rows.ts'
import {
  type DamagedRun,
  hasAnswer,
  type Run,
  type RunEnd,
  type RunStart,
  type Runs,
  type TakenRun,
} from './runs.ts'

/** How many ends are saved in one turn of the event loop. To prepare one takes longer than all else that a delta needs. */
const endsPerTurn = 4

/** Returns the runs in a database. */
export function createRuns(
  database: StoreDatabase,
  removals: Pick<ChatRemovals, 'has' | 'waitWhileRemoving' | 'waitUntilRemoved'>,
): Runs {
  const { sql } = database
  // Only the process that took the run over last may write it.
  const update = (run: Run) => updateRunning(database, run).where('attempt', '=', run.attempt ?? 0)
  // When many runs end at once, the last text of other runs must not wait for all of them.
  const takeTurn = yieldEvery(endsPerTurn)

  return {
    ...hideRemovedRuns(createRunFinder(database), removals),

    async claim(run, start) {
      const statements = claimStatements(database, run, start)
      for (;;) {
        await removals.waitWhileRemoving(run)
        try {
          return await succeeds(
            'constraint',
            () => sql.write(statements),
            () => isSaved(database, run, { status: 'running', ended_at: null }),
          )
        } catch (error) {
          if (!(error instanceof SqlError && error.code === 'no-effect')) throw error
          const wasRemoved = await removals.waitUntilRemoved(run)
          if (!wasRemoved && mayBeRefused(start)) return false
        }
      }
    },

    async takeOver(run) {
      const taken: Run = { ...run, attempt: (run.attempt ?? 0) + 1 }
      const take = statement(update(run).set({ attempt: (run.attempt ?? 0) + 1 }), { mustChange: true })
      const isTaken = await succeeds(
        'no-effect',
        () => sql.write([take]),
        // Nodes take orphans first, one node each. So nobody else has counted this attempt.
        () => isSaved(database, taken, { status: 'running', ended_at: null }),
      )
      return isTaken ? readTaken(database, taken) : undefined
    },

    contextOf: async run => (await readTaken(database, run)).context,

    async noteUsage(run, usage) {
      await confirmed(() => sql.write([statement(update(run).set({ usage }))]))
    },

    requestStop: (run, request) =>
      succeeds('no-effect', () => sql.write([stopRequest(database, run, request)])),

    async save(run, message) {
      const isRunning = statement(update(run).set({ status: 'running' }), { mustChange: true })
      await confirmed(() => sql.write([isRunning, ...saveMessage(database, run, message)]))
    },

    async end(run, end) {
      await takeTurn()
      const ended = { status: end.status, ended_at: end.at, context: null }
      const close = statement(update(run).set(ended), { mustChange: true })
      const voided = statement(voidApprovals(database, run, end.at))
      const statements = [close, ...lastEntry(database, run, end), voided, ...saveEnd(database, run, end)]
      return succeeds(
        'no-effect',
        () => sql.write(statements),
        () => isSaved(database, run, { status: end.status, ended_at: end.at }),
      )
    },

    endDamaged: (run, end) => succeeds('no-effect', () => sql.write(damagedEnd(database, run, end))),
  }
}

function updateRunning({ build }: StoreDatabase, { ownerId, id }: Pick<Run, 'ownerId' | 'id'>) {
  return build
    .updateTable('runs')
    .where('owner_id', '=', ownerId)
    .where('id', '=', id)
    .where('status', '=', running)
}

function stopRequest(
  database: StoreDatabase,
  ...[run, { by, at }]: Parameters<Runs['requestStop']>
): Statement {
  const request = updateRunning(database, run)
    .set({ stop_requested_at: at, stop_requested_by: by })
    .where('stop_requested_at', 'is', null)
  return statement(request, { mustChange: true })
}

/**
 * Returns whether a claim without an effect may have another reason than the removal of its chat. A new message without
 * files, which waits for nobody, has no other: it makes its chat.
 */
function mayBeRefused({ userMessage, files = [], turn }: RunStart): boolean {
  return userMessage === undefined || files.length > 0 || turn !== undefined
}

/** Reads what is needed to go on with a run that was taken over. */
async function readTaken(database: StoreDatabase, run: Run): Promise<TakenRun> {
  const select = database.build
    .selectFrom('runs')
    .selectAll()
    .where('owner_id', '=', run.ownerId)
    .where('id', '=', run.id)
  const [row] = await readRows(database, select, runRow)
  const by = row?.stop_requested_by ?? undefined
  const asked = by === undefined ? run : { ...run, stopRequestedBy: by }
  return { run: asked, context: row?.context ?? undefined, usage: row?.usage ?? undefined }
}

/** Returns whether the row of a run has these values: whether a write that nobody confirmed has taken effect. */
async function isSaved(
  { build, sql }: StoreDatabase,
  { ownerId, id, attempt = 0 }: Run,
  { status, ended_at }: Pick<Schema['runs'], 'status' | 'ended_at'>,
): Promise<boolean> {
  const row = build
    .selectFrom('runs')
    .select('id')
    .where('owner_id', '=', ownerId)
    .where('id', '=', id)
    .where('attempt', '=', attempt)
    .where('status', '=', status)
    .where('ended_at', ended_at === null ? 'is' : '=', ended_at)
  const [rows = []] = await sql.read([statement(row)])
  return rows.length > 0
}

/** Saves the messages of a run that ends, how far the chat has saved its log, and what the run has used. */
function saveEnd(
  database: StoreDatabase,
  chat: ChatKey & Partial<Pick<Run, 'kind'>>,
  { at, seq, messages, changes, usage = [] }: RunEnd,
): readonly Statement[] {
  const { kind } = chat
  // The kind of a damaged run is not known. It may have written an answer.
  const isAnswered = kind === undefined || hasAnswer({ kind })
  const saved = database.build
    .updateTable('chats')
    .set({ saved_seq: seq, updated_at: at, ...(isAnswered ? { answered_at: at } : {}) })
    .where('owner_id', '=', chat.ownerId)
    .where('id', '=', chat.chatId)
  return [
    ...messages.flatMap(message => saveMessage(database, chat, message)),
    ...(changes === undefined ? [] : changeMessages(database, chat, changes)),
    statement(saved),
    ...addUsage(database, chat.ownerId, { at, usage }),
  ]
}

/** If the log lacks the last entry of the run, this selects no row, and the transaction is undone. */
function lastEntry(
  { dialect }: StoreDatabase,
  chat: ChatKey,
  { seq, isInLog }: RunEnd,
): readonly Statement[] {
  if (isInLog !== true || dialect.logHas === undefined) return []
  return [{ sql: dialect.logHas, sets: [[logName(chat), seq]], mustChange: true }]
}

/** Ends a run whose row is damaged. */
function damagedEnd(
  database: StoreDatabase,
  { rowName, id, chat }: DamagedRun,
  end: RunEnd,
): readonly Statement[] {
  const close: Statement = {
    sql: `update runs set status = ?, ended_at = ?, context = null where ${database.dialect.isRow('runs')} and status = 'running'`,
    sets: [[end.status, end.at, rowName]],
    mustChange: true,
  }
  const voided =
    chat === undefined || id === undefined
      ? []
      : [statement(voidApprovals(database, { ownerId: chat.ownerId, id }, end.at))]
  return [close, ...voided, ...(chat === undefined ? [] : saveEnd(database, chat, end))]
}

function claimStatements(
  database: StoreDatabase,
  run: Run,
  { chat, userMessage, files = [], nodeId = '', context, turn }: RunStart,
): readonly Statement[] {
  const { build } = database
  const inTurn = turnStatements(database, run, turn)
  const row = { ...rowOf(run), node_id: nodeId, context: context ?? null }
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
      ...inTurn,
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
  return [...inTurn, touchChat, insertRun, statement(answered, { mustChange: true })]
}

/** If it is not the run's turn, this changes or selects no row, and the transaction is undone. */
function turnStatements(database: StoreDatabase, run: Run, turn: RunStart['turn']): readonly Statement[] {
  if (turn === undefined) return []
  const query =
    turn.type === 'waited' ? takeFromQueue(database, run, turn.waiting) : selectEmptyQueue(database, run)
  return [statement(query, { mustChange: true })]
}
