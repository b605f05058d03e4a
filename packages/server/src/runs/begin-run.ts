import { hasAnswer, type Run } from '@throughline/store'
import type { ActiveRuns } from './active-runs.ts'
import { answerRun } from './answer-run.ts'
import { type Answerer, answererOfRun, type FoundAnswerer } from './answerer-of-run.ts'
import { beginAnswer } from './begin-answer.ts'
import type { Seat } from './chat-viewers.ts'
import type { Claimed } from './claim-run.ts'
import { endAnswer, saveRun } from './end-run.ts'
import { giveUpRun } from './give-up-run.ts'
import { isPerson } from './person.ts'
import { openRunLog, type RunLog } from './run-log.ts'
import type { RunnerOptions } from './runner-options.ts'
import type { SavedRequest } from './saved-request.ts'
import { whoAnswers } from './who-answers.ts'

/** What beginning a run needs. */
export interface BeginOptions extends RunnerOptions {
  readonly active: ActiveRuns
}

/** Who begins a run, and who watches. */
export interface Beginning extends SavedRequest {
  /** Taken as soon as the run is active. */
  readonly seat: Seat | undefined
}

interface Opened {
  readonly runLog: RunLog
  /** Writes the answer. `undefined` for a run without an answer. */
  readonly answerer: Answerer | undefined
}

/** Starts a run that has been claimed. Resolves when its first entries are in the log. The run goes on by itself. */
export async function beginRun(options: BeginOptions, claim: Claimed, beginning: Beginning): Promise<Run> {
  const { run } = claim
  const stop = new AbortController()
  const opened = open(options, claim, beginning)
  const begun = opened.then(({ runLog }) => runLog.flush())
  const ended = opened
    .then(async ({ runLog, answerer }) => {
      // The agent does not wait until the first entries are written. What it emits comes after them in any case.
      if (answerer !== undefined && 'agent' in answerer)
        return answerRun(options, run, { ...beginning, ...answerer, runLog, stop })
      await begun
      return endUnanswered(options, run, { runLog, why: answerer })
    })
    .catch(error => giveUpRun(options, run, error))
  // From here on the run ends, whatever happens.
  options.active.keep({ run, stop, ended, isAnswered: !hasAnswer(run) })
  beginning.seat?.take()
  await begun
  options.onBegin?.(run)
  return run
}

async function open(
  options: BeginOptions,
  { run, message, expectedId }: Claimed,
  request: Beginning,
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
