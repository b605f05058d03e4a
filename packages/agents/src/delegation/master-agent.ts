import type { LanguageModel } from 'ai'
import type { Agent, AgentRequest } from '../agent.ts'
import type { AgentEvent } from '../agent-event.ts'
import { modelAgent } from '../ai-sdk/model-agent.ts'
import { delegationPrompt } from './delegation-prompt.ts'
import { refusedDelegation } from './refused-delegation.ts'

export interface MasterAgentOptions {
  readonly model: LanguageModel
  readonly name?: string
  readonly displayName?: string
  readonly description?: string
  readonly instructions?: string
  readonly examples?: readonly string[]
  /** The tools it has, and with it everybody it delegates to; all by default. */
  readonly toolKeys?: readonly string[]
  /** Whom it may ask; everybody by default. */
  readonly allowedSubAgents?: readonly string[]
}

const defaultInstructions =
  'You are a helpful assistant. Answer in the language of the question, in Markdown where it helps. ' +
  'Use the tools you have when they give a better answer than memory; say so when a tool fails.'

/** The agent that talks to the person: it answers, uses tools, and hands tasks to sub-agents. */
export class MasterAgent implements Agent {
  readonly name: string
  readonly displayName: string
  readonly description: string
  readonly examples: readonly string[] | undefined
  readonly toolKeys: readonly string[]
  readonly allowedSubAgents: readonly string[]
  readonly model: LanguageModel
  readonly #instructions: string

  constructor(options: MasterAgentOptions) {
    this.name = options.name ?? 'assistant'
    this.displayName = options.displayName || 'Assistant'
    this.description = options.description ?? 'Answers questions, uses tools and asks other agents.'
    this.examples = options.examples
    this.toolKeys = options.toolKeys ?? ['*']
    this.allowedSubAgents = options.allowedSubAgents ?? ['*']
    this.model = options.model
    this.#instructions = options.instructions ?? defaultInstructions
  }

  async *run(request: AgentRequest): AsyncGenerator<AgentEvent> {
    yield* (await this.#build(request)).run(request)
  }

  async #build({ frame }: AgentRequest): Promise<Agent> {
    const { name, model } = this
    if (frame === undefined) return modelAgent({ name, model, instructions: this.#instructions })
    const { tools, limits } = frame.run
    return modelAgent({
      name,
      model,
      instructions: this.#instructions + (await delegationPrompt(frame)),
      tools: tools.toolSet(frame.toolKeys, { maxOutputChars: limits.maxToolOutputChars }),
      refusedTools: refusedDelegation(frame),
      maxSteps: limits.maxSteps,
    })
  }
}
