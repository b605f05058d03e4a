import type { LanguageModel } from 'ai'
import { SubAgent } from '../delegation/sub-agent.ts'
import { fillTemplate } from './prompt-template.ts'
import type { ModelSpec, SubAgentDefinition } from './sub-agent-definition.ts'

/** Returns the model that a definition names; `undefined` when this server does not offer it. */
export type FindModel = (spec: ModelSpec) => LanguageModel | undefined

/** A sub-agent from its definition in the database. */
export class DefinedSubAgent extends SubAgent {
  /** The name of its model, when the server does not offer that one any more. Then the agent cannot be asked. */
  readonly missingModel: string | undefined

  constructor(definition: SubAgentDefinition, findModel: FindModel) {
    const { model: spec, enabled, systemPrompt, ...fields } = definition
    const model = spec && findModel(spec)
    const isMissing = spec !== undefined && model === undefined
    super({
      ...fields,
      model,
      // It must not run on another model.
      isEnabled: enabled && !isMissing,
      systemPrompt: frame => fillTemplate(systemPrompt, frame),
    })
    this.missingModel = isMissing && enabled ? `${spec.provider}:${spec.modelId}` : undefined
  }
}
