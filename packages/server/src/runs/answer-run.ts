import type { Agent, AgentFrame } from '@throughline/agents'
import {
  type AgentOutcome,
  type ClientTool,
  type RequestContext,
  RunLeft,
  runAgent,
} from '@throughline/agents/internal'
import type { EndStatus, Message } from '@throughline/protocol'
import type { Run } from '@throughline/store'
import type { Logger } from 'pino'
import type { ActiveRuns } from './active-runs.ts'
import { answerHistory } from './answer-history.ts'
import { saveRun } from './end-run.ts'
import { isFenced } from './is-fenced.ts'
import { openRun } from './open-run.ts'
import { resumeAgent } from './resume-agent.ts'
import type { Resumption } from './resumption.ts'
import type { RunLog } from './run-log.ts'
import type { RunnerOptions } from './runner-options.ts'
import type { Sender } from './sender.ts'

interface AnsweringOptions extends RunnerOptions {
  readonly active: ActiveRuns
}

interface Work {
  readonly agent: Agent
  readonly runLog: RunLog
  readonly context: RequestContext
  readonly sender: Sender
  /** The model that the person has chosen. Default: the model of the agent. */
  readonly model?: Agent['model']
  /** Tools that the request brought. */
  readonly clientTools?: readonly ClientTool[] | undefined
  readonly stop: AbortController
  /** Only for a run that goes on after a crash. */
  readonly resumption?: Resumption | undefined
}

/** Lets the agent write its answer, and saves the run. Returns how the run ended. */
export async function answerRun(options: AnsweringOptions, run: Run, work: Work): Promise<EndStatus> {
  const { store, system, logger, now } = options
  const { runLog } = work
  const messages = await answerHistory(store, run, system.limits)
  await using opened = openRun({ ...options, ...work, run })
  const outcome = await letAnswer(opened.frame, messages, work)
  const active = options.active.of(run)
  if (active?.run === run) active.isAnswered = true
  await saveRun(store, run, { runLog, at: now().toISOString() })
  logOutcome(logger, run, outcome)
  options.onAnswer?.(run, { agent: work.agent, status: outcome.status })
  return outcome.status
}

/** Returns when the whole answer is in the log. */
async function letAnswer(
  frame: AgentFrame,
  messages: readonly Message[],
  { agent, runLog, resumption, stop }: Work,
): Promise<AgentOutcome> {
  try {
    const outcome =
      resumption === undefined
        ? await runAgent(agent, frame, { messages })
        : await resumeAgent(agent, frame, { messages, runLog, resumption })
    await runLog.flush()
    return outcome
  } catch (error) {
    // Another process goes on with the run. A call that waits for an approval here must not withdraw it.
    if (isFenced(error)) stop.abort(new RunLeft())
    throw error
  }
}

function logOutcome(logger: Logger, run: Run, { status, error }: AgentOutcome): void {
  const facts = { runId: run.id, chatId: run.chatId, agent: run.agent, status }
  if (error === undefined) logger.info(facts, 'run ended')
  else logger.warn({ ...facts, err: error }, 'run ended')
}
