import { type ChatKey, createId, type EndStatus, isMessageId, isRunId, textOf } from '@throughline/protocol'
import { inTime, type MessageFile, type Run, SqlError } from '@throughline/store'
import type { ActiveRuns } from '../engine/active-runs.ts'
import { goesOnLater } from '../engine/answer-run.ts'
import { saveRun } from '../engine/end-run.ts'
import { openRunLog } from '../engine/run-log.ts'
import type { RunnerOptions } from '../engine/runner-options.ts'
import { emitHistory, historyText, type SubmittedMessage } from '../engine/saved-history.ts'
import { giveUpRun } from '../recovery/give-up-run.ts'
import { shuttingDown } from '../refusals/run-refusals.ts'
import { titleFrom } from '../titles/chat-titles.ts'

interface ImportOptions extends Pick<RunnerOptions, 'store' | 'agents' | 'logger' | 'now'> {
  readonly active: ActiveRuns
}

/** A chat that was written elsewhere. */
export interface ImportedHistory extends ChatKey {
  /** The agent that the chat is with. */
  readonly agent: string
  /** Messages of users, and answers. The first one is a user's. */
  readonly messages: readonly [SubmittedMessage, ...SubmittedMessage[]]
  /** The files of these messages. */
  readonly files?: readonly MessageFile[] | undefined
}

/**
 * Saves messages that were written elsewhere as the beginning of a new chat. No agent is run. Returns false, and saves
 * nothing, when the chat exists already.
 *
 * This is a run without an answer, because only one run at a time may write to a chat. If the process dies in the
 * middle, or leaves its runs to other nodes, another process writes the rest.
 */
export async function importHistory(options: ImportOptions, history: ImportedHistory): Promise<boolean> {
  const { store, active, now } = options
  if (active.over.aborted) throw shuttingDown()
  if ((await store.chats.get(history)) !== undefined) return false
  const run = runOf(history, now().toISOString())
  const { id: runId, chatId, startedAt: at } = run
  const {
    messages: [first],
    files = [],
  } = history
  for (const file of files) await store.files.write(history, file)
  const isClaimed = await store.runs.claim(run, {
    chat: { id: chatId, title: titleFrom(textOf(first)), createdAt: at, updatedAt: at },
    userMessage: { message: first, runId, seq: undefined },
    files,
    context: historyText(history.messages),
  })
  if (!isClaimed) return false
  const saved = writeHistory(options, run, history)
  const ended = saved.catch(error => giveUpRun(options, run, error))
  active.keep({ run, stop: new AbortController(), ended, isAnswered: true })
  const isLater = (error: unknown) => goesOnLater(error, { store, stopped: undefined })
  const savedHereOrElsewhere = saved.catch(error => {
    if (!isLater(error)) throw error
  })
  await inTime(savedHereOrElsewhere, savedLate)
  return true
}

/** The error for a request whose time is over. The chat is there, and is saved when the database is back. */
function savedLate(): SqlError {
  return new SqlError('unconfirmed', 'The messages of a new chat were not saved in time.')
}

function runOf({ ownerId, chatId, agent, messages }: ImportedHistory, startedAt: string): Run {
  return {
    id: createId(isRunId, 'run'),
    ownerId,
    chatId,
    agent,
    userMessageId: messages[0].id,
    answerId: createId(isMessageId, 'msg'),
    afterSeq: 0,
    startedAt,
    status: 'running',
    kind: 'message',
  }
}

async function writeHistory(
  { store, now }: ImportOptions,
  run: Run,
  { messages }: ImportedHistory,
): Promise<EndStatus> {
  const runLog = await openRunLog(store.log, run)
  await emitHistory(runLog, run, messages)
  await runLog.flush()
  return saveRun(store, run, { runLog, at: now().toISOString() })
}
