import { describeUnreadable, type RunStopped } from '@throughline/agents/internal'
import type { EndStatus } from '@throughline/protocol'
import { serverSentence } from '@throughline/protocol/internal'
import { type Run, SqlError } from '@throughline/store'
import { saveChange } from '../changes/write-change.ts'
import type { ActiveRuns } from './active-runs.ts'
import { RefusedChunkError } from './append-readable.ts'
import { beginAnswer } from './begin-answer.ts'
import { endAnswer, type MessageEnding, saveRun } from './end-run.ts'
import { isDamage } from './is-damage.ts'
import { isFenced } from './is-fenced.ts'
import { openRunLog } from './run-log.ts'
import type { RunnerOptions } from './runner-options.ts'
import { setAsideRun } from './set-aside-run.ts'
import { untilSaved } from './until-saved.ts'
import { whoAnswers } from './who-answers.ts'

type EndingOptions = Pick<RunnerOptions, 'store' | 'agents' | 'now'>

interface GivingUpOptions extends EndingOptions, Pick<RunnerOptions, 'logger'> {
  readonly active: ActiveRuns
}

/**
 * Ends a run that failed while it was being written: the log or the database failed, or the run wrote a chunk that
 * nobody could read. Tries until the end is saved, so that the chat is free again. After a restart, `endLeftRun` does
 * the same.
 */
export async function giveUpRun(
  options: GivingUpOptions,
  run: Run,
  error: unknown,
): Promise<EndStatus | undefined> {
  const { logger, active } = options
  if (isFenced(error)) {
    logger.info({ runId: run.id, chatId: run.chatId }, 'another node goes on with a run')
    return undefined
  }
  logger.error({ runId: run.id, err: error }, 'a run could not be written')
  const isClosing = () => active.isClosing
  const end = () => {
    const stoppedBy = active.of(run)?.stoppedBy
    const ending = stoppedBy === undefined ? endingAfter(error) : endingBy(stoppedBy)
    return endOrSetAside(options, run, ending)
  }
  return untilSaved(end, { runId: run.id, logger, isClosing })
}

async function endOrSetAside(
  options: GivingUpOptions,
  run: Run,
  ending: MessageEnding,
): Promise<EndStatus | undefined> {
  try {
    return await endLeftRun(options, run, ending)
  } catch (error) {
    if (!isDamage(error)) throw error
    await setAsideRun(options, run, error)
    return 'interrupted'
  }
}

/**
 * Ends a run that nobody works on any more: closes in the log what is still open, and saves the run. Returns how the run
 * ended: it may have come to its own end before. Returns `undefined` when the run was removed with its chat.
 */
export async function endLeftRun(
  options: EndingOptions,
  run: Run,
  ending: MessageEnding,
): Promise<EndStatus | undefined> {
  const { store, agents, now } = options
  if (run.kind === 'change') {
    await saveChange(store, run, now().toISOString())
    return 'finished'
  }
  const userMessage = await store.messages.find(run, run.userMessageId)
  if (userMessage === undefined) {
    // The chat may have been removed, and its runs with it.
    if ((await store.runs.get(run.ownerId, run.id)) === undefined) return undefined
    throw new SqlError('damaged', `Message ${run.userMessageId}, which run ${run.id} answers, is missing.`)
  }
  const runLog = await openRunLog(store.log, run)
  await beginAnswer(runLog, { run, agent: whoAnswers(agents, run), userMessage })
  await runLog.flush()
  await endAnswer(run, runLog, ending)
  return saveRun(store, run, { runLog, at: now().toISOString() })
}

function endingBy({ status, message }: RunStopped): MessageEnding {
  return { status, text: message }
}

function endingAfter(error: unknown): MessageEnding {
  if (error instanceof RefusedChunkError) return { status: 'failed', text: describeUnreadable(error.problem) }
  return { status: 'interrupted', text: serverSentence(isAway(error) ? 'database-away' : 'not-saved') }
}

/** Whether the database could not be reached for too long. */
function isAway(error: unknown): boolean {
  return error instanceof SqlError && (error.code === 'unreachable' || error.code === 'unconfirmed')
}
