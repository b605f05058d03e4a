import type { Agent } from '@throughline/agents'
import { type DefinitionError, modelName, type SubAgentDefinition } from '@throughline/agents/internal'
import type { DefinitionBody, MasterBody, SubAgentBody } from '@throughline/protocol/internal'
import type { AgentSystem } from '../../who/agent-system.ts'
import { type AskedAgents, modelOf, modelsBeside, offeredModels } from '../../who/asked-agent.ts'
import type { Sender } from '../../who/sender.ts'

/** The keys of the tools that agents may use for a person; all when it is missing. */
type PermittedTools = Sender['permittedTools']

interface MasterSurroundings extends AskedAgents {
  readonly permittedTools: PermittedTools
}

/** Describes an agent in code that people can talk to, for a list. */
export function describeMaster(agent: Agent, { permittedTools, ...asked }: MasterSurroundings): MasterBody {
  const model = modelOf(agent, asked.system)
  const { name, displayName, description, examples, allowedSubAgents = [], maxDepth, maxSteps } = agent
  return {
    name,
    displayName,
    description,
    examples,
    model: model && modelName(model),
    models: unlessEmpty(offeredModels(asked, agent)),
    toolKeys: keysOf(agent, permittedTools),
    allowedSubAgents,
    maxDepth,
    maxSteps,
  }
}

/** Most servers offer no choice of models. Then there is no such field. */
function unlessEmpty(names: readonly string[]): readonly string[] | undefined {
  return names.length === 0 ? undefined : names
}

/** A person sees only the tools that agents may use for them. */
function keysOf({ toolKeys = [] }: Agent, permitted: PermittedTools): readonly string[] {
  return toolKeys.filter(key => key === '*' || (permitted?.has(key) ?? true))
}

/** Describes a sub-agent in code. */
export function describeInCode(agent: Agent, permittedTools: PermittedTools): SubAgentBody {
  const { name, displayName, description = '', model, maxDepth, maxSteps } = agent
  return {
    source: 'code',
    name,
    displayName,
    description,
    enabled: agent.isEnabled ?? true,
    model: model && modelName(model),
    toolKeys: keysOf(agent, permittedTools),
    allowedSubAgents: agent.allowedSubAgents ?? [],
    maxDepth,
    maxSteps,
  }
}

/** Describes a definition with all its fields and warnings. Sent back unchanged, it changes nothing. */
export function describeDefined(
  definition: SubAgentDefinition,
  warnings: readonly DefinitionError[],
): DefinitionBody & { readonly source: 'database' } {
  return {
    source: 'database',
    ...definition,
    displayName: definition.displayName ?? definition.name,
    warnings,
  }
}

/**
 * Describes a definition for a list, without its prompt, which can be long. With a master, people can talk to it: see
 * `masterFor`.
 */
export function summarizeDefined(
  definition: SubAgentDefinition,
  warnings: readonly DefinitionError[],
  { master, system }: DefinedSurroundings,
): SubAgentBody {
  const { systemPrompt: _, ...rest } = describeDefined(definition, warnings)
  const named = definition.model && system.definable.find(definition.model)
  const isModelGone = definition.model !== undefined && named === undefined
  if (!definition.enabled || isModelGone || master === undefined) return { ...rest, answersPeople: false }
  const models = modelsBeside(named ?? master.model ?? system.defaultModel, system)
  return { ...rest, answersPeople: true, models: unlessEmpty(models) }
}

interface DefinedSurroundings {
  readonly master: Agent | undefined
  readonly system: Pick<AgentSystem, 'defaultModel' | 'definable' | 'models'>
}
