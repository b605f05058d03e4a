import type { LanguageModel } from 'ai'
import type { Agent, AgentRequest } from '../agent.ts'
import type { AgentEvent } from '../agent-event.ts'
import { modelAgent } from '../ai-sdk/model-agent.ts'
import type { AgentFrame } from '../run/agent-frame.ts'
import { delegationPrompt } from './delegation-prompt.ts'
import { refusedDelegation } from './refused-delegation.ts'

/** An agent that another one can delegate to. */
export abstract class SubAgent {
  abstract readonly name: string
  abstract readonly displayName: string
  /** For the model that decides whom to ask; empty when there is nothing to say but the name. */
  abstract readonly description: string
  /** Whom it may delegate to in turn; nobody by default. */
  readonly allowedSubAgents: readonly string[] = []
  /**
   * How deep tasks may be handed on from here, counted from the master, which is at depth 0. More or less than the
   * default, but never more than a caller's own or than `limits.maxDepth`.
   */
  readonly maxDepth: number | undefined = undefined
  readonly maxSteps: number | undefined = undefined
  readonly isEnabled: boolean = true
  /** The model it runs on; without one, its caller's. */
  readonly model: LanguageModel | undefined = undefined
  /** The keys of its tools when they never change: with one that does not exist, the server refuses to start. */
  readonly fixedToolKeys: readonly string[] | undefined = undefined

  abstract systemPrompt(frame: AgentFrame): string

  /** The keys of the tools it would like; it gets those that its caller has too. */
  abstract toolKeys(frame: AgentFrame): readonly string[]

  /** The agent for one task. */
  buildAgent(frame: AgentFrame): Agent {
    const { name, displayName, description } = this
    return { name, displayName, description, run: request => this.#run(frame, request) }
  }

  async *#run(frame: AgentFrame, request: AgentRequest): AsyncGenerator<AgentEvent> {
    const { run, model } = frame
    if (model === undefined) {
      throw new Error(`The sub-agent "${this.name}" has no model, and its caller has none either.`)
    }
    const agent = modelAgent({
      name: this.name,
      instructions: this.systemPrompt(frame) + (await delegationPrompt(frame)),
      model,
      tools: run.tools.toolSet(frame.toolKeys, { maxOutputChars: run.limits.maxToolOutputChars }),
      refusedTools: refusedDelegation(frame),
      maxSteps: Math.min(this.maxSteps ?? run.limits.maxSteps, run.limits.maxSteps),
    })
    yield* agent.run(request)
  }
}
