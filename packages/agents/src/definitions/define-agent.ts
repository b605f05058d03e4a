import { idRule, isId } from '@throughline/protocol/ids'
import { type KeysOf, unknownKey } from '@throughline/protocol/unknown-key'
import type { LanguageModel } from 'ai'
import { SubAgent } from '../delegation/sub-agent.ts'
import type { AgentFrame } from '../run/agent-frame.ts'

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

/**
 * A sub-agent in a few lines, for `throughline.config.ts`. Throws when the definition has an option that does not exist,
 * or one that cannot work.
 */
export function defineAgent(definition: AgentDefinition): SubAgent {
  const problem = unknownKey(definition, knownOptions) ?? problemIn(definition)
  if (problem !== undefined) throw new TypeError(`defineAgent of "${definition.name}": ${problem}`)
  const { instructions, tools, ...fields } = definition
  return new SubAgent({ ...fields, systemPrompt: instructions, toolKeys: tools })
}

const knownOptions: KeysOf<AgentDefinition> = {
  name: true,
  displayName: true,
  description: true,
  instructions: true,
  tools: true,
  allowedSubAgents: true,
  model: true,
  maxSteps: true,
  maxDepth: true,
}

/** Types are not checked when a configuration is loaded, so the values may be anything. */
function problemIn(definition: AgentDefinition): string | undefined {
  const { name, instructions, tools = [], allowedSubAgents = [], maxSteps = 1, maxDepth = 0 } = definition
  if (!isId(name)) return `the name is not allowed. ${idRule}.`
  if (!['string', 'function'].includes(typeof instructions)) return 'it has no instructions.'
  if (!areNames(tools)) return 'tools must be a list of keys.'
  if (!areNames(allowedSubAgents)) return 'allowedSubAgents must be a list of names.'
  if (!Number.isInteger(maxSteps) || maxSteps < 1) return 'maxSteps must be a whole number from 1 on.'
  if (!Number.isInteger(maxDepth) || maxDepth < 0) return 'maxDepth must be a whole number from 0 on.'
  return undefined
}

function areNames(value: unknown): boolean {
  return Array.isArray(value) && value.every(each => typeof each === 'string')
}
