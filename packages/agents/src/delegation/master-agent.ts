import type { LanguageModel } from 'ai'
import { BaseAgent } from './base-agent.ts'

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
