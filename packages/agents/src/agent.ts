import type { Message } from '@throughline/protocol/message'
import type { AgentEvent } from './agent-event.ts'

/** What an agent is asked: the chat so far, ending with the user's message. */
export interface AgentRequest {
  readonly messages: readonly Message[]
  readonly signal: AbortSignal
}

/** Whoever can answer. */
export interface Agent {
  /** Unique, and part of what is saved: letters, digits, `_`, `.`, `:` and `-`. */
  readonly name: string
  readonly displayName: string
  readonly description?: string | undefined
  /** What a person could ask first; pages offer them. */
  readonly examples?: readonly string[] | undefined
  run(request: AgentRequest): AsyncIterable<AgentEvent>
}
