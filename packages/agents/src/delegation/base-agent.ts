import type { LanguageModel, ToolSet } from 'ai'
import type { Agent, AgentRequest } from '../agent.ts'
import type { AgentEvent } from '../agent-event.ts'
import { modelAgent } from '../ai-sdk/model-agent.ts'
import { type AgentFrame, currentFrame } from '../run/agent-frame.ts'
import { toolSetOf } from '../run/tool-set.ts'
import { delegationPrompt } from './delegation-prompt.ts'
import { refusedDelegation } from './refused-delegation.ts'

/** The options of `SubAgent`: the fields of an agent, without `run`. Only `name` and `systemPrompt` are needed. */
export interface BaseAgentOptions extends Omit<Agent, 'displayName' | 'run'> {
  /** The name that people read. Default: `name`. */
  readonly displayName?: string | undefined
  /** The system prompt. A function is called once per answer, with the frame of the agent. */
  readonly systemPrompt: string | ((frame: AgentFrame) => string)
}

/** An agent that works with a model, tools and other agents. The base of masters and sub-agents. */
export class BaseAgent implements Agent {
  readonly name: string
  readonly displayName: string
  readonly description: string
  readonly examples: readonly string[] | undefined
  readonly toolKeys: readonly string[]
  readonly optionalToolKeys: readonly string[]
  readonly allowedSubAgents: readonly string[]
  readonly maxDepth: number | undefined
  readonly maxSteps: number | undefined
  readonly model: LanguageModel | undefined
  readonly continues: boolean
  readonly isEnabled: boolean
  readonly #systemPrompt: BaseAgentOptions['systemPrompt']

  constructor(options: BaseAgentOptions) {
    this.name = options.name
    this.displayName = options.displayName || options.name
    this.description = options.description ?? ''
    this.examples = options.examples
    this.toolKeys = options.toolKeys ?? []
    this.optionalToolKeys = options.optionalToolKeys ?? []
    this.allowedSubAgents = options.allowedSubAgents ?? []
    this.maxDepth = options.maxDepth
    this.maxSteps = options.maxSteps
    this.model = options.model
    // A subclass with code of its own has to say that it reads `answerSoFar`.
    const { run, buildAgent } = BaseAgent.prototype
    this.continues = options.continues ?? (this.run === run && this.buildAgent === buildAgent)
    this.isEnabled = options.isEnabled ?? true
    this.#systemPrompt = options.systemPrompt
  }

  /** Returns the system prompt for one answer. */
  systemPrompt(frame: AgentFrame): string {
    return typeof this.#systemPrompt === 'string' ? this.#systemPrompt : this.#systemPrompt(frame)
  }

  /** Returns the tools that the agent has in this frame, by key. */
  getTools(frame: AgentFrame): ToolSet {
    return toolSetOf(frame)
  }

  /** Returns the agent that works on one task. Throws when this agent, its callers and the server have no model. */
  buildAgent(frame: AgentFrame): Agent {
    const { run, model } = frame
    const { name, displayName } = this
    if (model === undefined)
      throw new Error(
        `The agent "${name}" has no model, and its caller has none either. Set "model" of the agent.`,
      )
    return modelAgent({
      name,
      displayName,
      model,
      instructions: async () => this.systemPrompt(frame) + (await delegationPrompt(frame)),
      tools: this.getTools(frame),
      refusedTools: refusedDelegation(frame),
      maxSteps: Math.min(this.maxSteps ?? run.limits.maxSteps, run.limits.maxSteps),
    })
  }

  // The agent is built here because its message has begun by now: when building fails, the message says so at its end.
  async *run(request: AgentRequest): AsyncGenerator<AgentEvent> {
    yield* this.buildAgent(currentFrame()).run(request)
  }
}
