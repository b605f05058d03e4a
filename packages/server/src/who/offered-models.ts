import { type Agent, MasterAgent, SubAgent } from '@throughline/agents'
import { modelName } from '@throughline/agents/internal'
import type { AgentSystem } from './agent-system.ts'
import type { AskedAgents } from './asked-agent.ts'

/**
 * Returns the names of the models that a person may choose when they ask an agent. The first one is the agent's own: it is
 * used when nobody chooses. Empty when there is nothing to choose, such as for an agent with code of its own.
 */
export function offeredModels(asked: AskedAgents, agent: Agent): readonly string[] {
  return takesModel(asked, agent) ? modelsBeside(modelOf(agent, asked.system), asked.system) : []
}

/** The same for an agent that works with any model it is given, by the model that it has. */
export function modelsBeside(
  own: Agent['model'],
  { models }: Pick<AgentSystem, 'models'>,
): readonly string[] {
  const names = new Set([...(own === undefined ? [] : [modelName(own)]), ...models.keys()])
  return names.size > 1 ? [...names] : []
}

/** Returns the model of a name, or `undefined` when a person may not choose it for this agent. */
export function offeredModel(asked: AskedAgents, agent: Agent, name: string): Agent['model'] {
  if (!offeredModels(asked, agent).includes(name)) return undefined
  const own = modelOf(agent, asked.system)
  return own !== undefined && modelName(own) === name ? own : asked.system.models.get(name)
}

/** Returns whether an agent works with the model of its frame. One with code of its own chooses its model itself. */
function takesModel({ agents }: AskedAgents, { name }: Agent): boolean {
  const inCode = agents.get(name)
  // Without code of that name it is a definition, which works with the model of its frame.
  if (inCode === undefined) return true
  return (inCode instanceof MasterAgent || inCode instanceof SubAgent) && inCode.continues === true
}

/**
 * Returns the model with which an agent works when a person talks to it. `undefined` when nobody knows: an agent with
 * code of its own may use another provider, or none.
 */
export function modelOf(agent: Agent, { defaultModel }: Pick<AgentSystem, 'defaultModel'>): Agent['model'] {
  const isOurs = agent instanceof MasterAgent || agent instanceof SubAgent
  return agent.model ?? (isOurs && agent.continues ? defaultModel : undefined)
}
