import type { SubAgentDefinition, SubAgentFields } from '@throughline/agents/definitions/sub-agent-definition'
import {
  type DefinitionError,
  definitionWarnings,
  type Surroundings,
  validateDefinition,
} from '@throughline/agents/definitions/validate-definition'
import { visibleIn } from '../../runs/defined-sub-agents.ts'
import type { Services } from '../context.ts'

/** What there is around a definition, among all definitions of its owner. */
export function surroundingsOf(
  { agents, system }: Pick<Services, 'agents' | 'system'>,
  { name, workspaceId }: Pick<SubAgentFields, 'name' | 'workspaceId'>,
  all: readonly SubAgentDefinition[],
): Surroundings {
  return {
    toolKeys: system.tools.factories.map(({ key }) => key),
    masters: [...agents.keys()],
    inCode: system.subAgents,
    // One of the same name is this one itself, or in no workspace, where this one hides it in its own.
    defined: visibleIn(workspaceId, all).filter(each => each.name !== name),
    hasModel: spec => system.resolveModel(spec) !== undefined,
  }
}

/** What is wrong with a definition that is saved: it may name what is not there yet, or not any more. */
export function warningsOf(
  services: Pick<Services, 'agents' | 'system'>,
  definition: SubAgentDefinition,
  all: readonly SubAgentDefinition[],
): readonly DefinitionError[] {
  const surroundings = surroundingsOf(services, definition, all)
  return [...validateDefinition(definition, surroundings), ...definitionWarnings(definition, surroundings)]
}
