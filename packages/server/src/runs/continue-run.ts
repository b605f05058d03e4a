import { closeCutMessage } from '@throughline/agents/internal'
import { LogError } from '@throughline/log'
import {
  continuedChunk,
  type EndStatus,
  findMessage,
  isToolPart,
  type MessageRecord,
  type Usage,
  usageSchema,
} from '@throughline/protocol'
import { keyedToArray, parseJson, serverSentence } from '@throughline/protocol/internal'
import { hasAnswer, type Run, type TakenRun } from '@throughline/store'
import type { ActiveRuns } from './active-runs.ts'
import { answerRun } from './answer-run.ts'
import { type Answerer, answererOfRun } from './answerer-of-run.ts'
import { beginAnswer } from './begin-answer.ts'
import { endSubAgents } from './end-run.ts'
import { endLeftRun, giveUpRun } from './give-up-run.ts'
import { mayPass } from './is-damage.ts'
import { type Resumption, resumptionOf } from './resumption.ts'
import { openRunLog, type RunLog } from './run-log.ts'
import { RunTrace } from './run-trace.ts'
import type { RunnerOptions } from './runner-options.ts'
import { requestFrom, type SavedRequest } from './saved-request.ts'
import { setAsideRun } from './set-aside-run.ts'
import { stopReason } from './stop-run.ts'

/** What taking over a run needs. */
export interface ContinueOptions extends RunnerOptions {
  readonly active: ActiveRuns
}

/** How often a run may go on without any progress. */
const maxStalls = 2

/**
 * Takes over one run whose process has died. If the run can go on, resolves as soon as it does: it is active, and this
 * process has the lease of its log. Otherwise the run ends as `interrupted`, and this resolves when that is saved. Does
 * nothing when the run has ended, or somebody else has taken it over. docs/guides/crashes.md says what is promised.
 *
 * Throws when the store fails. A run that fails for another reason, such as damaged data, is set aside.
 */
export async function continueRun(options: ContinueOptions, run: Run): Promise<void> {
  const { store, logger, active } = options
  const taken = await store.runs.takeOver(run)
  if (taken === undefined) return
  const facts = { runId: run.id, chatId: run.chatId, attempt: taken.run.attempt }
  const stop = new AbortController()
  const goingOn = await prepare(options, taken).catch(async error => {
    // Somebody else has taken the run over in the meantime.
    if (error instanceof LogError && error.code === 'fenced') return undefined
    // Whoever looks for such runs tries again.
    if (mayPass(error)) throw error
    await setAsideRun(options, taken.run, error)
    return undefined
  })
  if (goingOn === undefined) return
  const ended = answerRun(options, taken.run, { ...goingOn, stop }).catch(error =>
    giveUpRun(options, taken.run, error),
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
    if (mayPass(error)) throw error
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
async function prepare(options: ContinueOptions, taken: TakenRun) {
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
  await beginAnswer(runLog, { run, agent, userMessage })
  await runLog.flush()
  const answer = findMessage(runLog.chat, run.answerId)
  const hasEnd = answer?.metadata?.status !== 'streaming'
  if (answer === undefined || hasEnd) return endInstead(options, run, { usage })
  if (trace.stalls >= maxStalls)
    return endInstead(options, run, { usage, text: serverSentence('restarted-without-progress') })
  const resumption = await takeUp(options, { run, runLog, answer, trace, usage })
  return { ...request, agent, model, runLog, resumption }
}

async function endInstead(
  ...[options, run, ending]: Required<Parameters<typeof endCutOff>>
): Promise<undefined> {
  await endCutOff(options, run, ending)
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
  return answerer.agent.continues === true ? answerer : undefined
}

interface TakingUp extends Pick<Resumption, 'answer' | 'usage'> {
  readonly run: Run
  readonly runLog: RunLog
  readonly trace: RunTrace
}

/** Closes in the log what the other process was writing, shows that the answer goes on, and ends its sub-agents. */
async function takeUp({ store, now }: ContinueOptions, taking: TakingUp): Promise<Resumption> {
  const { run, runLog, answer, trace, usage } = taking
  const at = now().toISOString()
  const { workedMs, isInStep, isComplete } = trace
  const mark = continuedChunk({ attempt: run.attempt ?? 1, at, isStepCut: isInStep })
  for (const chunk of [...closeCutMessage(answer), mark])
    await runLog.emit({ runId: run.id, messageId: run.answerId, chunk })
  await runLog.flush()
  const cut = await endSubAgents(run, runLog, { status: 'interrupted', text: serverSentence('restarted') })
  // Nobody waits for the approvals of these sub-agents any more.
  for (const id of cut.flatMap(askedIn)) await store.approvals.settle(run.ownerId, id, { status: 'void', at })
  const closed = findMessage(runLog.chat, run.answerId) ?? answer
  return resumptionOf(closed, runLog, { usage, workedMs, isInStep, isComplete })
}

/** Returns the ids of the approvals that calls of a message wait for. */
function askedIn({ parts }: MessageRecord): readonly string[] {
  return keyedToArray(parts).flatMap(({ part }) =>
    isToolPart(part) && part.state === 'approval-requested' && part.approval !== undefined
      ? [part.approval.id]
      : [],
  )
}
