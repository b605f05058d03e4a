import type { Agent } from '@throughline/agents'
import type { RequestContext } from '@throughline/agents/internal'
import { hasAnswer, type Run } from '@throughline/store'
import type { ActiveRuns } from './active-runs.ts'
import { answerRun } from './answer-run.ts'
import { agentOfRun } from './asked-agent.ts'
import { beginAnswer } from './begin-answer.ts'
import type { Seat } from './chat-viewers.ts'
import type { Claimed } from './claim-run.ts'
import { endAnswer, saveRun } from './end-run.ts'
import { giveUpRun } from './give-up-run.ts'
import { isPerson } from './person.ts'
import { openRunLog, type RunLog } from './run-log.ts'
import type { RunnerOptions } from './runner-options.ts'
import type { Sender } from './sender.ts'
import { whoAnswers } from './who-answers.ts'

/** What beginning a run needs. */
export interface BeginOptions extends RunnerOptions {
  readonly active: ActiveRuns
}

/** Who begins a run, and who watches. */
export interface Beginning {
  readonly context: RequestContext
  readonly sender: Sender
  /** Taken as soon as the run is active. */
  readonly seat: Seat | undefined
}

interface Opened {
  readonly runLog: RunLog
  /** Writes the answer. `undefined` for a run without an answer, and when there is no such agent any more. */
  readonly agent: Agent | undefined
}

/** Starts a run that has been claimed. Resolves when its first entries are in the log. The run goes on by itself. */
export async function beginRun(options: BeginOptions, claim: Claimed, beginning: Beginning): Promise<Run> {
  const { run } = claim
  const stop = new AbortController()
  const opened = open(options, claim, beginning)
  const begun = opened.then(({ runLog }) => runLog.flush())
  const ended = opened
    .then(async ({ runLog, agent }) => {
      // The agent does not wait until the first entries are written. What it emits comes after them in any case.
      if (agent !== undefined) return answerRun(options, run, { ...beginning, agent, runLog, stop })
      await begun
      return endUnanswered(options, run, runLog)
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
  { context }: Beginning,
): Promise<Opened> {
  const { store, batching, agents } = options
  const runLog = await openRunLog(store.log, run, { batching })
  const agent = await agentFor(options, run, context)
  await beginAnswer(runLog, {
    run,
    agent: agent ?? (hasAnswer(run) ? whoAnswers(agents, run) : undefined),
    userMessage: message,
    expectedId,
  })
  return { runLog, agent }
}

/** Returns the agent that a run needs. A definition is read from the store. */
async function agentFor(
  options: BeginOptions,
  run: Run,
  context: RequestContext,
): Promise<Agent | undefined> {
  if (!hasAnswer(run)) return undefined
  const person = isPerson(run.agent) ? options.person?.(run.agent) : undefined
  return person ?? agentOfRun(options, run, context)
}

/**
 * Ends a run that no agent answers. A submission that waited may name an agent that no longer exists: the server was
 * started again with other agents, or the definition was deleted. Then the run fails, and says so.
 */
async function endUnanswered({ store, now, logger }: BeginOptions, run: Run, runLog: RunLog) {
  if (hasAnswer(run)) {
    logger.warn({ runId: run.id, agent: run.agent }, 'a waiting message names an agent that is gone')
    await endAnswer(run, runLog, { status: 'failed', text: `There is no agent "${run.agent}" any more.` })
  }
  return saveRun(store, run, { runLog, at: now().toISOString() })
}
