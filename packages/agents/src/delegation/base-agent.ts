import type { DefinitionVersion } from '@throughline/protocol'
import { serverSentence } from '@throughline/protocol/internal'
import { type LanguageModel, type ToolSet, tool } from 'ai'
import { z } from 'zod'
import type { Agent, AgentRequest } from '../agent/agent.ts'
import type { AgentEvent } from '../agent/agent-event.ts'
import { modelAgent } from '../ai-sdk/model-agent.ts'
import { type AgentFrame, currentFrame } from '../run/agent-frame.ts'
import { subAgentToolKey, toolFactory } from '../run/tool-factory-registry.ts'
import { toolSetOf, wrapTool } from '../run/wrap-tool.ts'
import { refusal } from './guard-call.ts'

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
  readonly continues: NonNullable<Agent['continues']>
  readonly isEnabled: boolean
  /** Which version of which definition this is, if a person has defined the agent. */
  readonly definition: DefinitionVersion | undefined = undefined
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

/** The options of `MasterAgent`. Only `model` is needed; in a configuration, not even that. */
export interface MasterAgentOptions {
  /** The model it runs on. In a configuration, the model of `THROUGHLINE_MODEL` is the default. */
  readonly model: LanguageModel
  /** `assistant` by default. */
  readonly name?: string
  /** `Assistant` by default. */
  readonly displayName?: string
  /** What it can do, for people. By default a sentence that fits every assistant. */
  readonly description?: string
  /** The system prompt. By default a few sentences for a general assistant. */
  readonly instructions?: string
  /** What a person could ask first. Pages offer these. */
  readonly examples?: readonly string[]
  /** The keys of its tools; all by default. Its sub-agents have no others. */
  readonly toolKeys?: readonly string[]
  /** The names of the agents it may delegate to; every agent by default. */
  readonly allowedSubAgents?: readonly string[]
  /** How often a task may be handed on below it. See `maxDepth` in agent.ts. */
  readonly maxDepth?: number
}

/** The agent that a person talks to: it writes the answer, uses tools and delegates tasks to sub-agents. */
export class MasterAgent extends BaseAgent {
  constructor(options: MasterAgentOptions) {
    super({
      model: options.model,
      examples: options.examples,
      name: options.name ?? 'assistant',
      displayName: options.displayName || 'Assistant',
      description: options.description ?? 'Answers questions, uses tools and asks other agents.',
      systemPrompt: options.instructions ?? defaultInstructions,
      toolKeys: options.toolKeys ?? ['*'],
      allowedSubAgents: options.allowedSubAgents ?? ['*'],
      maxDepth: options.maxDepth,
    })
  }
}

const defaultInstructions =
  'You are a helpful assistant. Answer in the language of the question, in Markdown where it helps. ' +
  'Use the tools you have when they give a better answer than memory; say so when a tool fails.'

/**
 * An agent that other agents can delegate to. Make one with `defineAgent`, or extend this class to change its
 * `systemPrompt`, `getTools` or `buildAgent`.
 */
export class SubAgent extends BaseAgent {}

/** Returns what a model is told about the agents it may delegate to; an empty text when there are none. */
async function delegationPrompt({ run, toolKeys, allowedSubAgents, agent }: AgentFrame): Promise<string> {
  if (!toolKeys.has(subAgentToolKey)) return ''
  const known = await run.subAgents.list()
  const allowed = known.filter(
    ({ name }) =>
      (allowedSubAgents.includes('*') || allowedSubAgents.includes(name)) && !agent.path.includes(name),
  )
  if (allowed.length === 0) return ''
  const list = allowed
    .map(({ name, description = '' }) => (description === '' ? `- ${name}` : `- ${name}: ${description}`))
    .join('\n')
  return (
    `\n\nYou can hand tasks to these agents with the tool "${subAgentToolKey}":\n${list}\n` +
    'The user sees their work as they do it, so do not repeat it; build on it.'
  )
}

/**
 * Returns, for an agent that may delegate to nobody, a tool `subAgent` that always refuses. The model is not told about
 * it. A model that calls it anyway reads a refusal like any other, and not an error of the AI SDK.
 */
function refusedDelegation({ toolKeys, agent, run }: AgentFrame): ToolSet {
  if (toolKeys.has(subAgentToolKey)) return {}
  const refused = refusal('NOT_ALLOWED', serverSentence('nobody-to-ask', { caller: agent.name }))
  const refusing = tool({
    title: 'Sub-agent',
    description: 'Not allowed here.',
    inputSchema: z.looseObject({}),
    execute: async () => refused,
  })
  const maxOutputChars = run.limits.maxToolOutputChars
  return { [subAgentToolKey]: wrapTool(toolFactory(subAgentToolKey, refusing), { maxOutputChars }) }
}
