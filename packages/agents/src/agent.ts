import type { Message } from '@throughline/protocol/message'
import type { LanguageModel } from 'ai'
import type { AgentEvent } from './agent-event.ts'
import type { AgentFrame } from './run/agent-frame.ts'
import type { TokenCounts } from './run/usage-ledger.ts'

/** What an agent is asked: the chat so far, ending with the user's message. */
export interface AgentRequest {
  readonly messages: readonly Message[]
  readonly signal: AbortSignal
  /** The run it is part of, and what it may do there. */
  readonly frame?: AgentFrame | undefined
  /**
   * Counts a model call the moment it has ended; `model` is `provider:model`. For agents whose events wait while a tool
   * works: a stop in that time must not lose what was paid for already. Other agents yield the usage with `step-end`.
   * A call is counted in one of the two ways, never in both.
   */
  readonly countUsage?: ((model: string, counts: TokenCounts) => void) | undefined
}

/** Whoever can answer. */
export interface Agent {
  /** Unique, and part of what is saved: letters, digits, `_`, `.`, `:` and `-`. */
  readonly name: string
  readonly displayName: string
  readonly description?: string | undefined
  /** What a person could ask first; pages offer them. */
  readonly examples?: readonly string[] | undefined
  /** The tools it would like, by key; `*` is all there are. */
  readonly toolKeys?: readonly string[] | undefined
  /** Whom it may delegate to; `*` is everybody. */
  readonly allowedSubAgents?: readonly string[] | undefined
  /** The model of sub-agents that have none of their own. */
  readonly model?: LanguageModel | undefined
  run(request: AgentRequest): AsyncIterable<AgentEvent>
}
