import type { Agent } from '@throughline/agents'
import { subAgentToolKey } from '@throughline/agents/internal'
import { agentNameRule, isAgentName } from '@throughline/protocol'
import { didYouMean } from '@throughline/protocol/internal'
import { StartError } from '../refusals/start-error.ts'
import type { AgentSystem } from './agent-system.ts'
import { isPerson } from './person.ts'

/** The agents of a server, and what they work with. */
export interface InstalledAgents {
  /** The agents that people talk to. */
  readonly agents: readonly Agent[]
  readonly system: AgentSystem
  /** Names that no agent may have, and what they are used for. */
  readonly taken: ReadonlyMap<string, string>
}

/**
 * Throws a `StartError` when an agent has a name that it must not have, or names a tool or an agent that does not
 * exist. Returns sentences for the log about tools that are missing for now.
 */
export function checkAgents({ agents, system, taken }: InstalledAgents): readonly string[] {
  // People and other agents may talk to the same agent. It counts once.
  const everybody = [...agents, ...system.subAgents.filter(agent => !agents.includes(agent))]
  assertNames(everybody, taken)
  const names = system.subAgents.map(({ name }) => name)
  for (const { name, allowedSubAgents = [] } of everybody) assertSubAgents(name, allowedSubAgents, names)
  return everybody.flatMap(({ name, toolKeys = [] }) => absentTools(name, toolKeys, system))
}

function assertNames(agents: readonly { readonly name: string }[], taken: ReadonlyMap<string, string>): void {
  const known = new Set<string>()
  for (const { name } of agents) {
    if (!isAgentName(name) || isPerson(name)) throw refused(`No agent can be called ${JSON.stringify(name)}`)
    const whose = taken.get(name)
    if (whose !== undefined) throw refused(`No agent can be called "${name}": that is ${whose}`)
    if (known.has(name)) throw refused(`There are two agents called "${name}"`)
    known.add(name)
  }
}

function refused(why: string): StartError {
  return new StartError(
    'agents',
    `${why}. Choose a name that no other agent has and that does not begin with "user::". ${agentNameRule}.`,
  )
}

function assertSubAgents(name: string, allowed: readonly string[], known: readonly string[]): void {
  const unknown = allowed.find(each => each !== '*' && !known.includes(each))
  if (unknown === undefined) return
  throw new StartError(
    'agents',
    `"allowedSubAgents" of the agent "${name}" has ${JSON.stringify(unknown)}, which does not exist in code. ${didYouMean(unknown, known)}`,
  )
}

function absentTools(name: string, keys: readonly string[], system: AgentSystem): readonly string[] {
  const known = system.tools.factories.map(({ key }) => key)
  const missing = keys.filter(key => key !== '*' && key !== subAgentToolKey && !system.tools.has(key))
  return missing.map(key => {
    const why = system.whyAbsent(key)
    if (why !== undefined) return `The agent "${name}" does not have the tool "${key}": ${why}`
    throw new StartError(
      'agents',
      `The agent "${name}" names the tool ${JSON.stringify(key)}, which does not exist. ${didYouMean(key, known)}`,
    )
  })
}
