import { LogError, logName } from '@throughline/log'
import {
  type EndStatus,
  findMessage,
  isToolPart,
  toolNameOf,
  type Usage,
  usageSchema,
} from '@throughline/protocol'
import { keyedToArray, parseJson, serverSentence } from '@throughline/protocol/internal'
import { hasAnswer, type Run, SqlError, type Store, type TakenRun, withPatience } from '@throughline/store'
import type { ActiveRuns } from '../engine/active-runs.ts'
import { answerRun, hasLogChanged, isFenced } from '../engine/answer-run.ts'
import { beginAnswer } from '../engine/begin-answer.ts'
import { countsIn, type Resumption } from '../engine/resumption.ts'
import { openRunLog, type RunLog } from '../engine/run-log.ts'
import type { RunnerOptions } from '../engine/runner-options.ts'
import { untilSaved } from '../engine/until-saved.ts'
import { mayPass } from '../refusals/store-problem.ts'
import { stopReason } from '../stopping/ongoing-run.ts'
import { type Answerer, answererOfRun } from '../who/asked-agent.ts'
import { requestFrom, type SavedRequest } from '../who/saved-request.ts'
import { earlierWork, endLostSubAgents } from './earlier-work.ts'
import type { Fate } from './fate.ts'
import { endLeftRun, giveUpRun } from './give-up-run.ts'
import { RunTrace } from './run-trace.ts'
import { setAsideRun } from './set-aside-run.ts'

/** What taking over a run needs. */
export interface ContinueOptions extends RunnerOptions {
  readonly active: ActiveRuns
}

/**
 * Takes over one run whose process has died. If the run can go on, resolves as soon as it does: it is active, and this
 * process has the lease of its log. Otherwise the run ends as `interrupted`, and this resolves when that is saved. With the
 * fate `waits`, the answer shows that it waits, and nobody goes on with it. Does nothing when the run has ended, or somebody
 * else has taken it over. docs/guides/crashes.md says what is promised.
 *
 * Throws when the store fails. A run that fails for another reason, such as damaged data, is set aside.
 */
export async function continueRun(options: ContinueOptions, run: Run, fate: Fate): Promise<void> {
  const { store, logger, active } = options
  const taken = await store.runs.takeOver(run)
  if (taken === undefined) return
  const facts = { runId: run.id, chatId: run.chatId, attempt: taken.run.attempt }
  const stop = new AbortController()
  const goingOn = await prepare(options, taken, fate).catch(async error => {
    // Somebody else has taken the run over in the meantime.
    if (isFenced(error)) return undefined
    // Whoever looks for such runs tries again.
    if (mayPass(error) || hasLogChanged(error, store)) throw error
    await setAsideRun(options, taken.run, error)
    return undefined
  })
  if (goingOn === undefined) return
  if (fate === 'waits') return goingOn.runLog.release()
  const ended = withPatience({ maxWaitMs: store.maxWaitMs, signal: stop.signal }, () =>
    answerRun(options, taken.run, { ...goingOn, stop }).catch(error => giveUpRun(options, taken.run, error)),
  )
  active.keep({ run: taken.run, stop, ended, isAnswered: false })
  logger.warn(facts, 'a run that had been cut off goes on')
  options.onBegin?.(taken.run)
}

/** Ends a run that was cut off. Sets it aside if it is damaged. Throws when the store fails. */
export async function endCutOff(
  options: Pick<ContinueOptions, 'store' | 'agents' | 'now' | 'logger'>,
  run: Run,
  ending: { readonly text?: string; readonly usage?: Usage | undefined } = {},
): Promise<EndStatus | undefined> {
  try {
    const { text = serverSentence('restarted'), usage } = ending
    const status = await endLeftRun(options, run, { ...endingOf(run, text), usage })
    options.logger.warn({ runId: run.id, chatId: run.chatId }, 'ended a run that had been cut off')
    return status
  } catch (error) {
    if (mayPass(error) || hasLogChanged(error, options.store)) throw error
    await setAsideRun(options, run, error)
    return 'interrupted'
  }
}

/** Returns how a run ends that was cut off. A stop that its process did not live to see counts now. */
function endingOf(
  { stopRequestedBy }: Run,
  text: string,
): { readonly status: EndStatus; readonly text: string } {
  if (stopRequestedBy === undefined) return { status: 'interrupted', text }
  const { status, message } = stopReason(stopRequestedBy)
  return { status, text: message }
}

/** Makes a run ready to go on. Returns `undefined` when it has ended instead. */
async function prepare(options: ContinueOptions, taken: TakenRun, fate: Fate) {
  const { store, batching } = options
  const { run } = taken
  const usage = usageSchema.safeParse(parseJson(taken.usage ?? '')).data
  if (run.stopRequestedBy !== undefined) return endInstead(options, run, { usage })
  const request = requestFrom(taken.context)
  const answerer = request && (await whoGoesOn(options, run, request))
  if (answerer === undefined || request === undefined) return endInstead(options, run, { usage })
  if (!('agent' in answerer)) {
    const text = serverSentence('restarted-model-gone', { model: request.model ?? '' })
    return endInstead(options, run, { usage, text })
  }
  const { agent, model } = answerer
  const userMessage = await store.messages.find(run, run.userMessageId)
  if (userMessage === undefined) return endInstead(options, run, { usage })
  const trace = new RunTrace(run)
  const runLog = await openRunLog(store.log, run, { batching, onEntry: entry => trace.add(entry) })
  await assertTaken(store, run)
  await beginAnswer(runLog, { run, agent, userMessage })
  await runLog.flush()
  const answer = findMessage(runLog.chat, run.answerId)
  const hasEnd = answer?.metadata?.status !== 'streaming'
  if (answer === undefined || hasEnd) return endInstead(options, run, { usage })
  if (fate === 'ends') return endDeadly(options, run, { usage, runLog })
  const resumption = await takeUp(options, { run, runLog, trace, usage, fate })
  return { ...request, agent, model, runLog, resumption }
}

/**
 * Throws when a standby that lacks the takeover has become the primary in the meantime: another node may take the run over under
 * the same number. Called with the lease. A later failover that loses the takeover loses the lease, too.
 */
async function assertTaken({ runs }: Pick<Store, 'runs'>, run: Run): Promise<void> {
  const saved = await runs.get(run.ownerId, run.id)
  if (saved === undefined || saved.attempt === run.attempt) return
  throw new LogError('wrong-end', logName(run), `The database has lost that run ${run.id} was taken over.`)
}

async function endInstead(
  ...[options, run, ending]: Required<Parameters<typeof endCutOff>>
): Promise<undefined> {
  await endCutOff(options, run, ending)
}

/** Ends a run whose process died again and again, and names it to the operator. */
async function endDeadly(
  options: ContinueOptions,
  run: Run,
  { runLog, usage }: Pick<TakingUp, 'runLog' | 'usage'>,
): Promise<undefined> {
  const { id: runId, chatId, ownerId, agent, deaths = [] } = run
  const underWay = callsUnderWay(runLog)
  options.logger.error(
    { runId, chatId, ownerId, agent, underWay, deaths: deaths.length, nodes: deaths },
    'ended a run because its process died again and again while it was being written',
  )
  await endCutOff(options, run, { usage, text: serverSentence('server-died', { count: deaths.length }) })
}

/** Returns the tool calls that had no result when the process died, those of the master first. */
function callsUnderWay({ chat }: RunLog): readonly { readonly agent: string; readonly tool: string }[] {
  return keyedToArray(chat.messages).flatMap(({ parts, metadata }) =>
    keyedToArray(parts).flatMap(({ part }) =>
      isToolPart(part) && part.state === 'input-available'
        ? [{ agent: metadata?.agent?.name ?? '', tool: toolNameOf(part), toolCallId: part.toolCallId }]
        : [],
    ),
  )
}

/** Finds who goes on with a run. `undefined` when nobody can: the run ends without another reason than the restart. */
async function whoGoesOn(
  options: ContinueOptions,
  run: Run,
  request: SavedRequest,
): Promise<Answerer | undefined> {
  const { continueRuns = true } = options
  if (!continueRuns || !hasAnswer(run)) return undefined
  const answerer = await answererOfRun(options, run, request)
  if (!('agent' in answerer)) return answerer.missing === 'model' ? answerer : undefined
  return answerer.agent.continues ? answerer : undefined
}

interface TakingUp extends Pick<Resumption, 'usage'> {
  readonly run: Run
  readonly runLog: RunLog
  readonly trace: RunTrace
  readonly fate: Fate
}

/** Closes in the log what the other process was writing, shows that the answer goes on, and ends sub-agents that cannot. */
async function takeUp({ store, now }: ContinueOptions, taking: TakingUp): Promise<Resumption> {
  const { run, runLog, trace, usage, fate } = taking
  const { workedMs } = trace
  const isWaiting = fate === 'waits'
  const earlierOptions = { store, run, runLog, trace, at: now().toISOString(), isWaiting }
  const earlier = earlierWork(earlierOptions)
  const cut = await earlier.goOn(run.answerId)
  await endLostSubAgents(earlierOptions)
  return { cut, earlier, counts: countsIn(runLog), usage, workedMs }
}

/**
 * Takes over a run that another process left behind when it died, in a store that no other process uses. When the store
 * fails, such as on a full disk, the run ends as `interrupted` as soon as that can be saved: nobody else will do it.
 */
export async function recoverRun(options: ContinueOptions, run: Run, fate: Fate): Promise<void> {
  const { logger, active } = options
  try {
    await continueRun(options, run, fate)
  } catch (error) {
    // Any failure of the store may pass. Until then the chat is blocked.
    if (!(error instanceof SqlError)) throw error
    const isClosing = () => active.isClosing
    const ended = untilSaved(() => endAsSaved(options, run), { runId: run.id, logger, isClosing })
    active.keep({ run, stop: new AbortController(), ended, isAnswered: true })
  }
}

/** Ends a run as its row is now: the run may have been taken over before the store failed. */
async function endAsSaved(options: ContinueOptions, { ownerId, id }: Run): Promise<EndStatus | undefined> {
  const run = await options.store.runs.get(ownerId, id)
  return run?.status === 'running' ? endCutOff(options, run) : run?.status
}
