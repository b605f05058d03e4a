import type { Agent } from '@throughline/agents'
import type { DefinitionError, SubAgentDefinition } from '@throughline/agents/internal'

/** Describes a sub-agent in code. */
export function describeInCode(agent: Agent) {
  const { name, displayName, description = '', maxDepth, maxSteps } = agent
  return {
    source: 'code' as const,
    name,
    displayName,
    description,
    enabled: agent.isEnabled ?? true,
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

/** Describes a definition for a list, without its prompt, which can be long. */
export function summarizeDefined(definition: SubAgentDefinition, warnings: readonly DefinitionError[]) {
  const { systemPrompt: _, ...rest } = describeDefined(definition, warnings)
  return rest
}
