import type { SubAgent } from '@throughline/agents/sub-agents/sub-agent'
import type { SubAgentDefinition } from '@throughline/agents/sub-agents/sub-agent-definition'

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

export function describeDefined(definition: SubAgentDefinition) {
  return {
    source: 'database' as const,
    ...definition,
    displayName: definition.displayName ?? definition.name,
  }
}

/** One of many: without the prompt, which can be long. */
export function summarizeDefined(definition: SubAgentDefinition) {
  const { systemPrompt: _, ...rest } = describeDefined(definition)
  return rest
}
