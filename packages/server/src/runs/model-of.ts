import { type Agent, MasterAgent, SubAgent } from '@throughline/agents'
import type { AgentSystem } from './agent-system.ts'

/**
 * Returns the model with which an agent works when a person talks to it. `undefined` when nobody knows: an agent with
 * code of its own may use another provider, or none.
 */
export function modelOf(agent: Agent, { defaultModel }: Pick<AgentSystem, 'defaultModel'>): Agent['model'] {
  const isOurs = agent instanceof MasterAgent || agent instanceof SubAgent
  return agent.model ?? (isOurs && agent.continues ? defaultModel : undefined)
}
