import { type Agent, type KeyedAgent, namedAgent } from '@throughline/agents'

/** An agent in a list. Without a key, it needs a name. */
export type ListedAgent = KeyedAgent & Pick<Agent, 'name'>

/** The agents of a configuration. People can talk to those in an object; those in a list are sub-agents only. */
export type ConfigAgents = readonly ListedAgent[] | Readonly<Record<string, KeyedAgent>>

/** The agents of a configuration, by what they may do. */
export interface AgentRoles {
  /** Those that people can talk to. The first one is the default. */
  readonly agents: readonly Agent[]
  /** Those that other agents can delegate to. */
  readonly subAgents: readonly Agent[]
}

/**
 * Says who of the configuration does what. `master` is the default agent: either one that is made here, or the name of
 * one in `agents`.
 */
export function agentRoles(agents: ConfigAgents, master: Agent | string): AgentRoles {
  const named = isList(agents)
    ? agents.map(agent => namedAgent(agent.name, agent))
    : Object.entries(agents).map(([key, agent]) => namedAgent(key, agent))
  if (typeof master === 'string') {
    const isMaster = ({ name }: Agent) => name === master
    const others = named.filter(agent => !isMaster(agent))
    return { agents: [...named.filter(isMaster), ...others], subAgents: named }
  }
  return isList(agents)
    ? { agents: [master], subAgents: named }
    : { agents: [master, ...named], subAgents: [master, ...named] }
}

/** `Array.isArray` alone does not tell a read-only list from an object for the compiler. */
function isList(agents: ConfigAgents): agents is readonly ListedAgent[] {
  return Array.isArray(agents)
}
