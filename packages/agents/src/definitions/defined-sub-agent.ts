import type { LanguageModel } from 'ai'
import { SubAgent } from '../delegation/sub-agent.ts'
import { fillTemplate } from './prompt-template.ts'
import type { ModelSpec, SubAgentDefinition } from './sub-agent-definition.ts'

/** Returns the model that a definition names; `undefined` when this server does not have it. */
export type ResolveModel = (spec: ModelSpec) => LanguageModel | undefined

/** Makes a sub-agent from its definition in the database. */
export function definedSubAgent(definition: SubAgentDefinition, resolveModel: ResolveModel): SubAgent {
  const { model: spec, enabled, systemPrompt, ...fields } = definition
  const model = spec && resolveModel(spec)
  return new SubAgent({
    ...fields,
    model,
    // An agent whose model is missing must not run on another one, so it cannot be asked.
    isEnabled: enabled && (spec === undefined || model !== undefined),
    systemPrompt: frame => fillTemplate(systemPrompt, frame),
  })
}
