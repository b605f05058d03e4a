import type { Agent } from '@throughline/agents'
import { hasAnswer, type Run } from '@throughline/store'
import { agentOfRun } from './asked-agent.ts'
import { type Beginning, type BeginOptions, beginRun } from './begin-run.ts'
import type { Claimed } from './claim-run.ts'
import { endLeftRun } from './give-up-run.ts'
import { isPerson } from './person.ts'

/**
 * Starts a run that has been claimed. A submission that waited may name an agent that no longer exists: the server was
 * started again with other agents, or the definition was deleted. Then the run fails, and says so.
 */
export async function beginClaimed(
  options: BeginOptions,
  claimed: Claimed,
  beginning: Omit<Beginning, 'agent'>,
): Promise<Run> {
  const { run } = claimed
  if (!hasAnswer(run)) return beginRun(options, claimed, { ...beginning, agent: undefined })
  // Only a definition has to be read. For every other agent the run is active before anything else happens.
  const agent = knownAgent(options, run) ?? (await agentOfRun(options, run, beginning.context))
  if (agent !== undefined) return beginRun(options, claimed, { ...beginning, agent })
  options.logger.warn({ runId: run.id, agent: run.agent }, 'a waiting message names an agent that is gone')
  await endLeftRun(options, run, { status: 'failed', text: `There is no agent "${run.agent}" any more.` })
  return run
}

function knownAgent({ agents, person }: BeginOptions, { agent: name }: Run): Agent | undefined {
  return agents.get(name) ?? (isPerson(name) ? person?.(name) : undefined)
}
