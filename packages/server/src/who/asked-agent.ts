import { type Agent, MasterAgent, SubAgent } from '@throughline/agents'
import { DefinedSubAgent, modelName } from '@throughline/agents/internal'
import type { OwnerId } from '@throughline/protocol'
import { serverSentence } from '@throughline/protocol/internal'
import type { Run } from '@throughline/store'
import type { AgentSystem } from './agent-system.ts'
import type { DefinitionScope } from './defined-sub-agents.ts'
import { operatorName } from './person.ts'
import type { SavedRequest } from './saved-request.ts'

/** The agents among which one is looked up. */
export interface AskedAgents {
  /** The agents in code that people talk to. */
  readonly agents: ReadonlyMap<string, Agent>
  readonly system: AgentSystem
}

/** An agent as a person asks it. */
export interface AskedAgent extends Agent {
  /** The name of the model of a definition, when the server does not offer that one any more. */
  readonly missingModel?: string | undefined
}

/** Names an agent, and says who asks it. */
export interface AskedName extends DefinitionScope {
  readonly ownerId: OwnerId
  readonly name: string
}

/**
 * Finds the agent that a person asks: one in code that people talk to, or a definition of this person. Returns
 * `undefined` when there is neither. A sub-agent in code is not found: its operator has not opened it to people.
 */
export async function askedAgent(
  { agents, system }: AskedAgents,
  { ownerId, name, workspaceId, pageId }: AskedName,
): Promise<AskedAgent | undefined> {
  const inCode = agents.get(name)
  if (inCode !== undefined || system.subAgents.some(agent => agent.name === name)) return inCode
  const master = masterFor(agents, name)
  if (master === undefined) return undefined
  const defined = await system.subAgentsOf(ownerId, { workspaceId, pageId }).find(name)
  return defined && askedDirectly(defined, { master, defaultModel: system.defaultModel })
}

/** Returns the names of the agents in code that are switched on. People other than operators know no others. */
export function enabledNames(agents: AskedAgents['agents']): readonly string[] {
  return Array.from(agents.values())
    .filter(({ isEnabled = true }) => isEnabled)
    .map(({ name }) => name)
}

/**
 * Finds the agent of a run that waited, or that goes on after a crash. A definition that was switched off is not found. One
 * whose model is gone is, but it must not run: see `missingModel`.
 */
async function agentOfRun(
  options: AskedAgents,
  { ownerId, agent: name }: Pick<Run, 'ownerId' | 'agent'>,
  { workspaceId, pageId }: DefinitionScope,
): Promise<AskedAgent | undefined> {
  const agent = await askedAgent(options, { ownerId, name, workspaceId, pageId })
  const isDefined = !options.agents.has(name)
  const isOff = isDefined && agent?.isEnabled === false && agent.missingModel === undefined
  return isOff ? undefined : agent
}

/**
 * Returns the agent in code that stands for the caller when a person asks a definition: the first one that is switched
 * on and may delegate to it, in the order in which the server was given its agents. The definition gets its tools and
 * its model from that one. Without such an agent nobody can ask the definition.
 */
export function masterFor(agents: ReadonlyMap<string, Agent>, name: string): Agent | undefined {
  // Runs of this name belong to the people who answer in place of agents.
  if (name === operatorName) return undefined
  return [...agents.values()].find(({ isEnabled = true, allowedSubAgents = [] }) => {
    return isEnabled && (allowedSubAgents.includes('*') || allowedSubAgents.includes(name))
  })
}

interface Surroundings extends Pick<AgentSystem, 'defaultModel'> {
  readonly master: Agent
}

/**
 * Returns a sub-agent as a person can ask it. It has what it would have if the master delegated to it: no tool that the
 * master does not have, the model of the master unless it has its own, and as many levels of sub-agents below it.
 */
function askedDirectly(agent: Agent, { master, defaultModel }: Surroundings): AskedAgent {
  const { toolKeys = [], optionalToolKeys = [] } = master
  const callerKeys = new Set([...toolKeys, ...optionalToolKeys])
  return {
    name: agent.name,
    displayName: agent.displayName,
    description: agent.description,
    toolKeys: agent.toolKeys?.filter(key => callerKeys.has('*') || callerKeys.has(key)),
    allowedSubAgents: agent.allowedSubAgents,
    maxDepth: depthBelow(agent, master),
    maxSteps: agent.maxSteps,
    model: agent.model ?? master.model ?? defaultModel,
    continues: agent.continues,
    isEnabled: agent.isEnabled,
    missingModel: agent instanceof DefinedSubAgent ? agent.missingModel : undefined,
    run: request => agent.run(request),
  }
}

/** Below the master, the sub-agent would be one level deeper than it is now. */
function depthBelow(agent: Agent, { maxDepth }: Agent): number | undefined {
  if (maxDepth === undefined) return agent.maxDepth
  return Math.min(agent.maxDepth ?? maxDepth, Math.max(maxDepth - 1, 0))
}

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
function offeredModel(asked: AskedAgents, agent: Agent, name: string): Agent['model'] {
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
