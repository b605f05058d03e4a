import {
  type DefinitionError,
  definitionWarnings,
  type SubAgentDefinition,
  type SubAgentFields,
  type Surroundings,
  validateDefinition,
} from '@throughline/agents/internal'
import { definedIn } from '../../who/defined-sub-agents.ts'
import type { Services } from '../request/context.ts'

/** Returns what a definition can name: the tools, the models, and the other agents. */
export function surroundingsOf(
  { agents, system }: Pick<Services, 'agents' | 'system'>,
  { name, workspaceId }: Pick<SubAgentFields, 'name' | 'workspaceId'>,
  all: readonly SubAgentDefinition[],
): Surroundings {
  return {
    toolKeys: system.tools.factories.map(({ key }) => key),
    masters: [...agents.keys()],
    inCode: system.subAgents.map(({ name, allowedSubAgents = [] }) => ({ name, allowedSubAgents })),
    // A definition of the same name is this one, or it has no workspace and is hidden by this one.
    defined: definedIn(workspaceId, all).filter(each => each.name !== name),
    models: system.definable.addresses,
    maxOutputTokens: system.definable.maxOutputTokens,
  }
}

/** Returns what is wrong with a saved definition. For example, it may name an agent that was deleted. */
export function warningsOf(
  services: Pick<Services, 'agents' | 'system'>,
  definition: SubAgentDefinition,
  all: readonly SubAgentDefinition[],
): readonly DefinitionError[] {
  const surroundings = surroundingsOf(services, definition, all)
  return [...validateDefinition(definition, surroundings), ...definitionWarnings(definition, surroundings)]
}
