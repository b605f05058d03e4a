import { agentNameRule, isAgentName } from '@throughline/protocol'
import { type KeysOf, unknownKey } from '@throughline/protocol/internal'
import type { LanguageModel } from 'ai'
import { SubAgent } from '../delegation/base-agent.ts'
import type { AgentFrame } from '../run/agent-frame.ts'

/** The options of `defineAgent`. `name`, `description` and `instructions` are needed. */
export interface AgentDefinition {
  /** Unique: 1 to 128 letters and digits of any script, `_`, `.`, `:` and `-`. */
  readonly name: string
  /** The name that people read; `name` by default. */
  readonly displayName?: string
  /** What it can do. Models read it when they choose an agent to delegate to. */
  readonly description: string
  /** The system prompt. A function is called once per answer, with the frame of the agent. */
  readonly instructions: string | ((frame: AgentFrame) => string)
  /** The keys of its tools; none by default. It gets those that its caller has, too. */
  readonly tools?: readonly string[]
  /** The names of the agents it may delegate to; none by default. */
  readonly allowedSubAgents?: readonly string[]
  /** The model it runs on; the model of its caller by default. */
  readonly model?: LanguageModel
  /** The most model calls in one answer; `limits.maxSteps` is the upper bound and the default. */
  readonly maxSteps?: number
  /** The greatest depth of the sub-agents below this agent. The master has depth 0. See `maxDepth` in agent.ts. */
  readonly maxDepth?: number
}

/**
 * Makes a sub-agent for `throughline.config.ts`. Throws a `TypeError` when an option does not exist or has a wrong value.
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

/** Checks the values, because nobody checks the types when a configuration is loaded. */
function problemIn(definition: AgentDefinition): string | undefined {
  const { name, instructions, tools = [], allowedSubAgents = [], maxSteps = 1, maxDepth = 0 } = definition
  if (!isAgentName(name)) return `the name is not allowed. ${agentNameRule}.`
  if (!['string', 'function'].includes(typeof instructions))
    return 'instructions must be a text, or a function that returns one.'
  if (!areNames(tools)) return 'tools must be a list of keys.'
  if (!areNames(allowedSubAgents)) return 'allowedSubAgents must be a list of names.'
  if (!Number.isInteger(maxSteps) || maxSteps < 1) return 'maxSteps must be a whole number from 1 on.'
  if (!Number.isInteger(maxDepth) || maxDepth < 0) return 'maxDepth must be a whole number from 0 on.'
  return undefined
}

function areNames(value: unknown): boolean {
  return Array.isArray(value) && value.every(each => typeof each === 'string')
}
