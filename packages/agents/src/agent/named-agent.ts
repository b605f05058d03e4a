import type { Agent } from './agent.ts'

/** An agent in an object of agents. Its key in the object is its name, so it needs no name itself. */
export interface KeyedAgent extends Omit<Agent, 'name' | 'displayName'> {
  /** The key by default. */
  readonly name?: string | undefined
  /** The name by default. */
  readonly displayName?: string | undefined
}

/** Returns the agent with a name and a display name. An agent that has both is returned as it is. */
export function namedAgent(key: string, agent: KeyedAgent): Agent {
  if (isNamed(agent)) return agent
  const name = agent.name || key
  return {
    name,
    displayName: agent.displayName || name,
    // Field by field: a spread would miss what a class inherits.
    description: agent.description,
    examples: agent.examples,
    toolKeys: agent.toolKeys,
    optionalToolKeys: agent.optionalToolKeys,
    allowedSubAgents: agent.allowedSubAgents,
    maxDepth: agent.maxDepth,
    maxSteps: agent.maxSteps,
    model: agent.model,
    continues: agent.continues,
    // A getter, because an agent can be switched on and off while the server runs.
    get isEnabled() {
      return agent.isEnabled
    },
    run: request => agent.run(request),
  }
}

function isNamed(agent: KeyedAgent): agent is Agent {
  return Boolean(agent.name) && Boolean(agent.displayName)
}
