import { hasAnswer, type Run } from '@throughline/store'
import { type Beginning, type BeginOptions, beginRun } from './begin-run.ts'
import type { Claimed } from './claim-run.ts'
import { endLeftRun } from './give-up-run.ts'
import { isPerson } from './person.ts'

/**
 * Starts a run that has been claimed. A submission that waited may name an agent that no longer exists, because the
 * server was started again with other agents. Then its run fails, and says so.
 */
export async function beginClaimed(
  options: BeginOptions,
  claimed: Claimed,
  beginning: Beginning,
): Promise<Run> {
  const { run } = claimed
  const isKnown = options.agents.has(run.agent) || (isPerson(run.agent) && options.person !== undefined)
  if (isKnown || !hasAnswer(run)) return beginRun(options, claimed, beginning)
  options.logger.warn({ runId: run.id, agent: run.agent }, 'a waiting message names an agent that is gone')
  await endLeftRun(options, run, { status: 'failed', text: `There is no agent "${run.agent}" any more.` })
  return run
}
