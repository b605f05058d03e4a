import { type Agent, MasterAgent, SubAgent } from '@throughline/agents'
import { type DefinitionError, modelName, type SubAgentDefinition } from '@throughline/agents/internal'
import type { Sender } from '../../runs/sender.ts'

/** The keys of the tools that agents may use for a person; all when it is missing. */
type PermittedTools = Sender['permittedTools']

interface MasterSurroundings {
  /** The model of an agent that names none. */
  readonly defaultModel: Agent['model']
  readonly permittedTools: PermittedTools
}

/** Describes an agent in code that people can talk to, for a list. */
export function describeMaster(agent: Agent, { defaultModel, permittedTools }: MasterSurroundings) {
  const { name, displayName, description, examples, allowedSubAgents = [], maxDepth, maxSteps } = agent
  return {
    name,
    displayName,
    description,
    examples,
    model: modelOf(agent, defaultModel),
    toolKeys: keysOf(agent, permittedTools),
    allowedSubAgents,
    maxDepth,
    maxSteps,
  }
}

/**
 * Returns the name of the model an agent runs on, such as `openai:gpt-5`; `undefined` when that is not known. An agent
 * with code of its own chooses its model itself.
 */
function modelOf(agent: Agent, defaultModel: Agent['model']): string | undefined {
  const isOurs = agent instanceof MasterAgent || agent instanceof SubAgent
  const model = agent.model ?? (isOurs ? defaultModel : undefined)
  return model === undefined ? undefined : modelName(model)
}

/** A person sees only the tools that agents may use for them. */
function keysOf({ toolKeys = [] }: Agent, permitted: PermittedTools): readonly string[] {
  return toolKeys.filter(key => key === '*' || (permitted?.has(key) ?? true))
}

/** Describes a sub-agent in code. */
export function describeInCode(agent: Agent, permittedTools: PermittedTools) {
  const { name, displayName, description = '', model, maxDepth, maxSteps } = agent
  return {
    source: 'code' as const,
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
export function describeDefined(definition: SubAgentDefinition, warnings: readonly DefinitionError[]) {
  return {
    source: 'database' as const,
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
  master: Agent | undefined,
) {
  const { systemPrompt: _, ...rest } = describeDefined(definition, warnings)
  return { ...rest, answersPeople: definition.enabled && master !== undefined }
}
