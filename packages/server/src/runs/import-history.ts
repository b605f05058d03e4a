import {
  type ChatKey,
  createId,
  type EndStatus,
  isMessageId,
  isRunId,
  type MessageChunk,
  textOf,
} from '@throughline/protocol'
import type { MessageFile, Run } from '@throughline/store'
import type { ActiveRuns } from './active-runs.ts'
import { saveRun } from './end-run.ts'
import { titleFrom } from './first-words.ts'
import { giveUpRun } from './give-up-run.ts'
import { openRunLog } from './run-log.ts'
import { shuttingDown } from './run-refusals.ts'
import type { RunnerOptions } from './runner-options.ts'
import type { SubmittedMessage } from './submission.ts'

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
 * middle, the next one saves what is in the log.
 */
export async function importHistory(options: ImportOptions, history: ImportedHistory): Promise<boolean> {
  const { store, active, now } = options
  if (active.isClosing) throw shuttingDown()
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
  })
  if (!isClaimed) return false
  const saved = writeHistory(options, run, history)
  const ended = saved.catch(error => giveUpRun(options, run, error))
  active.keep({ run, stop: new AbortController(), ended, isAnswered: true })
  await saved
  return true
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
  for (const message of messages) {
    const chunk: MessageChunk = { type: 'data-message', id: message.id, data: message, transient: true }
    await runLog.emit({ runId: run.id, messageId: message.id, chunk })
  }
  await runLog.flush()
  return saveRun(store, run, { runLog, at: now().toISOString() })
}
