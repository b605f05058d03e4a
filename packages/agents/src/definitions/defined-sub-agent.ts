import type { LanguageModel } from 'ai'
import { SubAgent } from '../delegation/sub-agent.ts'
import type { AgentFrame } from '../run/agent-frame.ts'
import { fillTemplate } from './prompt-template.ts'
import type { ModelSpec, SubAgentDefinition } from './sub-agent-definition.ts'

/** The model that a definition names; nothing when it cannot be had here. */
export type ResolveModel = (spec: ModelSpec) => LanguageModel | undefined

/** A sub-agent from the database. */
export class DefinedSubAgent extends SubAgent {
  override readonly name: string
  override readonly displayName: string
  override readonly description: string
  override readonly allowedSubAgents: readonly string[]
  override readonly maxDepth: number | undefined
  override readonly maxSteps: number | undefined
  override readonly isEnabled: boolean
  override readonly model: LanguageModel | undefined
  readonly #definition: SubAgentDefinition

  constructor(definition: SubAgentDefinition, resolveModel: ResolveModel) {
    super()
    const { name, model: spec } = definition
    this.#definition = definition
    this.name = name
    this.displayName = definition.displayName ?? name
    this.description = definition.description ?? ''
    this.allowedSubAgents = definition.allowedSubAgents
    this.maxDepth = definition.maxDepth
    this.maxSteps = definition.maxSteps
    this.model = spec && resolveModel(spec)
    // Who chose a model did not choose the caller's: without it the agent cannot be asked.
    this.isEnabled = definition.enabled && (spec === undefined || this.model !== undefined)
  }

  override systemPrompt(frame: AgentFrame): string {
    return fillTemplate(this.#definition.systemPrompt, frame)
  }

  override toolKeys(): readonly string[] {
    return this.#definition.toolKeys
  }
}
