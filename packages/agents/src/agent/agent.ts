import type { Message } from '@throughline/protocol'
import type { LanguageModel } from 'ai'
import type { AgentEvent, TokenCounts } from './agent-event.ts'

/** What an agent is asked. */
export interface AgentRequest {
  /** The chat so far. It ends with the message that the agent answers. */
  readonly messages: readonly Message[]
  /**
   * The beginning of the answer, when the process died while the agent wrote it. Every tool call in it has ended, except for
   * agents that continue `by-following`. The agent writes only what comes after it. Only agents with `continues` get this.
   */
  readonly answerSoFar?: Message | undefined
  /** Aborts when the agent is stopped. */
  readonly signal: AbortSignal
  /**
   * Counts the tokens of one model call. `model` has the form `provider:model`. Call it as soon as the model call has
   * ended: then a stop while a tool works does not lose what was paid for already. The other way to count is to yield
   * the usage with `step-end`. Count each model call in one of the two ways, never in both.
   */
  readonly countUsage?: ((model: string, counts: TokenCounts) => void) | undefined
}

/**
 * An agent writes answers. Masters and sub-agents have this one shape. Only `name`, `displayName` and `run` are needed; in
 * an object of agents, the key is the name (see named-agent.ts). While the agent runs, `currentFrame()` returns its frame:
 * its run, its tools and its limits.
 */
export interface Agent {
  /** Unique, and part of what is saved: 1 to 128 letters and digits of any script, `_`, `.`, `:` and `-`. */
  readonly name: string
  /** The name that people read. */
  readonly displayName: string
  /** What it can do. People read it, and so do models that choose an agent to delegate to. */
  readonly description?: string | undefined
  /** What a person could ask first. Pages offer these. */
  readonly examples?: readonly string[] | undefined
  /** The keys of its tools; `*` means all tools there are. A server does not start when one of them does not exist. */
  readonly toolKeys?: readonly string[] | undefined
  /** The keys of more tools. Unlike those in `toolKeys`, they need not exist: a tool that does not exist is left out. */
  readonly optionalToolKeys?: readonly string[] | undefined
  /** The names of the agents it may delegate to; `*` means every agent. Nobody by default. */
  readonly allowedSubAgents?: readonly string[] | undefined
  /**
   * The greatest depth of the sub-agents below this agent. The master has depth 0. Default: `limits.defaultDepth`. The
   * smallest `maxDepth` in the lineage counts, and `limits.maxDepth` is the upper bound.
   */
  readonly maxDepth?: number | undefined
  /** The most model calls in one answer; `limits.maxSteps` is the upper bound and the default. */
  readonly maxSteps?: number | undefined
  /** The model it runs on. By default the model of its caller, or the server's model when a person talks to it. */
  readonly model?: LanguageModel | undefined
  /**
   * True when the agent can go on with an answer after the process died: it reads `answerSoFar` of its request. The run of
   * another agent ends as `interrupted` then. Default: false; true for agents with a model of Throughline's own loop.
   * `by-following`: somebody else writes the answer, and has gone on with it. Calls without a result are left to the agent,
   * and it is asked even if the answer seems to be complete.
   */
  readonly continues?: boolean | 'by-following' | undefined
  /** False when the agent is switched off: people and agents cannot ask it. Read for each request. Default: true. */
  readonly isEnabled?: boolean | undefined
  /**
   * Writes one answer, as events. If it throws, or ends without a `finish` event, the answer ends as failed. For an
   * event `tool-approval-request`, the next event is asked for after a person has decided, and `yield` returns the decision.
   */
  run(request: AgentRequest): AsyncIterable<AgentEvent>
}
