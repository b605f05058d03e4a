import type { EndStatus } from '@throughline/protocol'
import { hasAnswer, inTime, type Run, SqlError, withPatience } from '@throughline/store'
import type { ActiveRuns } from '../engine/active-runs.ts'
import { answerRun, goesOnLater } from '../engine/answer-run.ts'
import { beginAnswer } from '../engine/begin-answer.ts'
import { endAnswer, saveRun } from '../engine/end-run.ts'
import { openRunLog, type RunLog } from '../engine/run-log.ts'
import type { RunnerOptions } from '../engine/runner-options.ts'
import { giveUpRun } from '../recovery/give-up-run.ts'
import type { Presence } from '../stream/chat-viewers.ts'
import { type Answerer, answererOfRun, type FoundAnswerer } from '../who/asked-agent.ts'
import { isPerson, whoAnswers } from '../who/person.ts'
import type { SavedRequest } from '../who/saved-request.ts'
import type { Claimed } from './claim-run.ts'

/** What beginning a run needs. */
export interface BeginOptions extends RunnerOptions {
  readonly active: ActiveRuns
}

/** Who begins a run, and who watches. */
export interface RunBeginning extends SavedRequest {
  /** Taken as soon as the run is active. */
  readonly presence: Presence | undefined
}

interface Opened {
  readonly runLog: RunLog
  /** Writes the answer. `undefined` for a run without an answer. */
  readonly answerer: Answerer | undefined
}

/**
 * Starts a run that has been claimed. Resolves when its first entries are in the log. The run goes on by itself.
 *
 * Also resolves when the run belongs to another node by now, or is left to one because this node goes down. Its row is
 * saved, so it begins there. The same when a failover has lost its first entries: it begins a little later.
 */
export async function beginRun(options: BeginOptions, claim: Claimed, beginning: RunBeginning): Promise<Run> {
  const { run } = claim
  const stop = new AbortController()
  const patience = { maxWaitMs: options.store.maxWaitMs, signal: stop.signal }
  // The run can wait longer for the database than the request that began it.
  const opened = withPatience(patience, () => open(options, claim, beginning))
  const begun = opened.then(({ runLog }) => runLog.flush())
  const write = async (): Promise<EndStatus> => {
    const { runLog, answerer } = await opened
    // The agent does not wait until the first entries are written. What it emits comes after them in any case.
    if (answerer !== undefined && 'agent' in answerer)
      return answerRun(options, run, { ...beginning, ...answerer, runLog, stop })
    await begun
    return endUnanswered(options, run, { runLog, why: answerer })
  }
  const ended = withPatience(patience, () => write().catch(error => giveUpRun(options, run, error)))
  // From here on the run ends, whatever happens.
  options.active.keep({ run, stop, ended, isAnswered: !hasAnswer(run) })
  beginning.presence?.take(run.id)
  // Also for a request whose time is over.
  const announced = begun.then(
    () => options.onBegin?.(run),
    error => {
      if (!goesOnLater(error, { store: options.store, stopped: stop.signal })) throw error
    },
  )
  await inTime(announced, beginsLate)
  return run
}

/** The error for a request whose time is over. The message is saved: when it is sent again, its run is found. */
function beginsLate(): SqlError {
  return new SqlError('unreachable', 'The first entries of a run could not be written in time.')
}

async function open(
  options: BeginOptions,
  { run, message, expectedId }: Claimed,
  request: RunBeginning,
): Promise<Opened> {
  const { store, batching, agents } = options
  const runLog = await openRunLog(store.log, run, { batching })
  const answerer = await answererFor(options, run, request)
  const agent = answerer && 'agent' in answerer ? answerer.agent : undefined
  await beginAnswer(runLog, {
    run,
    agent: agent ?? (hasAnswer(run) ? whoAnswers(agents, run) : undefined),
    userMessage: message,
    expectedId,
  })
  return { runLog, answerer }
}

/** Finds who answers in a run: a person, or an agent. A definition is read from the store. */
async function answererFor(
  options: BeginOptions,
  run: Run,
  request: SavedRequest,
): Promise<Answerer | undefined> {
  if (!hasAnswer(run)) return undefined
  const person = isPerson(run.agent) ? options.person?.(run.agent) : undefined
  return person === undefined ? answererOfRun(options, run, request) : { agent: person, model: undefined }
}

interface Unanswered {
  readonly runLog: RunLog
  /** `undefined` for a run without an answer. */
  readonly why: Exclude<Answerer, FoundAnswerer> | undefined
}

/**
 * Ends a run that no agent answers. A submission that waited may name an agent or a model that no longer exists: the server
 * was started again with others, or the definition was deleted. Then the run fails, and says so.
 */
async function endUnanswered({ store, now, logger }: BeginOptions, run: Run, { runLog, why }: Unanswered) {
  if (why !== undefined) {
    const { missing, text } = why
    logger.warn({ runId: run.id, agent: run.agent }, `a waiting message names ${named[missing]} that is gone`)
    await endAnswer(run, runLog, { status: 'failed', text })
  }
  return saveRun(store, run, { runLog, at: now().toISOString() })
}

const named = { agent: 'an agent', model: 'a model' } as const
