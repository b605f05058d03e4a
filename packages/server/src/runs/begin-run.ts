import type { Agent } from '@throughline/agents'
import type { RequestContext } from '@throughline/agents/internal'
import type { Run } from '@throughline/store'
import type { ActiveRuns } from './active-runs.ts'
import { answerRun } from './answer-run.ts'
import { beginAnswer } from './begin-answer.ts'
import type { Seat } from './chat-viewers.ts'
import type { Claimed } from './claim-run.ts'
import { saveRun } from './end-run.ts'
import { giveUpRun } from './give-up-run.ts'
import { openRunLog } from './run-log.ts'
import type { RunnerOptions } from './runner-options.ts'
import type { Sender } from './sender.ts'

/** What beginning a run needs. */
export interface BeginOptions extends RunnerOptions {
  readonly active: ActiveRuns
}

/** Who begins a run, who answers, and who watches. */
export interface Beginning {
  /** Writes the answer; `undefined` for a run without one. */
  readonly agent: Agent | undefined
  readonly context: RequestContext
  readonly sender: Sender
  /** Taken as soon as the run is active. */
  readonly seat: Seat | undefined
}

/** Starts a run that has been claimed. Resolves when its first entries are in the log. The run goes on by itself. */
export async function beginRun(options: BeginOptions, claim: Claimed, beginning: Beginning): Promise<Run> {
  const { store, batching, now, active } = options
  const { agent, context, sender, seat } = beginning
  const { run, message, expectedId } = claim
  const stop = new AbortController()
  const opened = openRunLog(store.log, run, { batching }).then(async runLog => {
    await beginAnswer(runLog, { run, agent, userMessage: message, expectedId })
    return runLog
  })
  const begun = opened.then(runLog => runLog.flush())
  const ended = opened
    .then(async runLog => {
      // The agent does not wait until the first entries are written. What it emits comes after them in any case.
      if (agent !== undefined) return answerRun(options, run, { agent, runLog, context, sender, stop })
      await begun
      return saveRun(store, run, { runLog, at: now().toISOString() })
    })
    .catch(error => giveUpRun(options, run, error))
  active.keep({ run, stop, ended, isAnswered: agent === undefined })
  seat?.take()
  await begun
  options.onBegin?.(run)
  return run
}
