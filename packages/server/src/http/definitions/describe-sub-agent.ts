import type { SubAgentDefinition } from '@throughline/agents/definitions/sub-agent-definition'
import type { DefinitionError } from '@throughline/agents/definitions/validate-definition'
import type { SubAgent } from '@throughline/agents/delegation/sub-agent'

/** A sub-agent in code, as far as it can be told without running it. */
export function describeInCode(agent: SubAgent) {
  const { name, displayName, description, isEnabled, allowedSubAgents, maxDepth, maxSteps } = agent
  return {
    source: 'code' as const,
    name,
    displayName,
    description,
    enabled: isEnabled,
    allowedSubAgents,
    maxDepth,
    maxSteps,
  }
}

/** A definition whole, with what is wrong with it now; sent back as it is, it changes nothing. */
export function describeDefined(definition: SubAgentDefinition, warnings: readonly DefinitionError[]) {
  return {
    source: 'database' as const,
    ...definition,
    displayName: definition.displayName ?? definition.name,
    warnings,
  }
}

/** One of many: without the prompt, which can be long. */
export function summarizeDefined(definition: SubAgentDefinition, warnings: readonly DefinitionError[]) {
  const { systemPrompt: _, ...rest } = describeDefined(definition, warnings)
  return rest
}
