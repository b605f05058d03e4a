import type { Agent } from '@throughline/agents'
import { serverSentence } from '@throughline/protocol/internal'
import type { Run } from '@throughline/store'
import { type AskedAgents, agentOfRun } from './asked-agent.ts'
import { offeredModel } from './offered-models.ts'
import type { SavedRequest } from './saved-request.ts'

/** Who writes the answer of a run, or why nobody can. */
export type Answerer = FoundAnswerer | MissingAnswerer

/** An agent, and the model that the person has chosen for it, if they have. */
export interface FoundAnswerer {
  readonly agent: Agent
  readonly model: Agent['model']
}

interface MissingAnswerer {
  /** What is missing: for the server's own log. */
  readonly missing: 'agent' | 'model'
  /** The same as a sentence for the person who reads the answer. */
  readonly text: string
}

/**
 * Finds the agent of a run and its model. They may be gone: the run may have waited, or it goes on after a crash, and the
 * server was started again with other agents or models in between.
 */
export async function answererOfRun(
  asked: AskedAgents,
  run: Pick<Run, 'ownerId' | 'agent'>,
  { context, model: name }: Pick<SavedRequest, 'context' | 'model'>,
): Promise<Answerer> {
  const agent = await agentOfRun(asked, run, context)
  if (agent === undefined)
    return { missing: 'agent', text: serverSentence('agent-gone', { agent: run.agent }) }
  if (agent.missingModel !== undefined)
    return { missing: 'model', text: serverSentence('model-gone', { model: agent.missingModel }) }
  if (name === undefined) return { agent, model: undefined }
  const model = offeredModel(asked, agent, name)
  if (model !== undefined) return { agent, model }
  return { missing: 'model', text: serverSentence('model-gone', { model: name }) }
}
