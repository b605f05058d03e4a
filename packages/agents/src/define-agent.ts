import type { LanguageModel } from 'ai'
import type { AgentFrame } from './context/agent-frame.ts'
import { SubAgent } from './sub-agents/sub-agent.ts'

export interface AgentDefinition {
  /** Unique: letters, digits, `_`, `.`, `:` and `-`. */
  readonly name: string
  readonly displayName?: string
  /** For the model that decides whom to ask. */
  readonly description: string
  readonly instructions: string | ((frame: AgentFrame) => string)
  /** The keys of the tools it would like. */
  readonly tools?: readonly string[]
  /** Whom it may delegate to. */
  readonly allowedSubAgents?: readonly string[]
  /** Without one it runs on its caller's. */
  readonly model?: LanguageModel
  readonly maxSteps?: number
  /** How deep tasks may be handed on from it, counted from the master; see `SubAgent.maxDepth`. */
  readonly maxDepth?: number
}

/** A sub-agent in a few lines, for `throughline.config.ts`. */
export function defineAgent(definition: AgentDefinition): SubAgent {
  return new CodedSubAgent(definition)
}

class CodedSubAgent extends SubAgent {
  override readonly name: string
  override readonly displayName: string
  override readonly description: string
  override readonly allowedSubAgents: readonly string[]
  override readonly maxDepth: number | undefined
  override readonly maxSteps: number | undefined
  override readonly model: LanguageModel | undefined
  readonly #definition: AgentDefinition

  constructor(definition: AgentDefinition) {
    super()
    this.#definition = definition
    this.name = definition.name
    this.displayName = definition.displayName ?? definition.name
    this.description = definition.description
    this.allowedSubAgents = definition.allowedSubAgents ?? []
    this.maxDepth = definition.maxDepth
    this.maxSteps = definition.maxSteps
    this.model = definition.model
  }

  override systemPrompt(frame: AgentFrame): string {
    const { instructions } = this.#definition
    return typeof instructions === 'string' ? instructions : instructions(frame)
  }

  override toolKeys(): readonly string[] {
    return this.#definition.tools ?? []
  }
}
