import { describeUnreadable, type RunStopped } from '@throughline/agents/internal'
import type { EndStatus } from '@throughline/protocol'
import { serverSentence } from '@throughline/protocol/internal'
import { hasAnswer, type Run, SqlError } from '@throughline/store'
import { saveChange } from '../changes/write-change.ts'
import type { ActiveRuns } from '../engine/active-runs.ts'
import { goesOnLater, isFenced } from '../engine/answer-run.ts'
import { beginAnswer } from '../engine/begin-answer.ts'
import { endAnswer, type MessageEnding, saveRun } from '../engine/end-run.ts'
import { openRunLog, RefusedChunkError } from '../engine/run-log.ts'
import type { RunnerOptions } from '../engine/runner-options.ts'
import { emitHistory, historyFrom } from '../engine/saved-history.ts'
import { untilSaved } from '../engine/until-saved.ts'
import { isDamage } from '../refusals/store-problem.ts'
import { whoAnswers } from '../who/person.ts'
import { setAsideRun } from './set-aside-run.ts'

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
  const { store, logger, active } = options
  if (goesOnLater(error, { store, stopped: active.of(run)?.stop.signal })) {
    const named = { runId: run.id, chatId: run.chatId }
    if (isFenced(error)) logger.info(named, 'another node goes on with a run')
    else logger.warn(named, 'the database has lost entries of a run, which goes on from what is left')
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
  if (!hasAnswer(run)) await emitHistory(runLog, run, historyFrom(await store.runs.contextOf(run)))
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
  return error instanceof SqlError && ['unreachable', 'unconfirmed', 'busy'].includes(error.code)
}
