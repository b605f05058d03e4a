import type { MessageMetadata } from '@throughline/protocol/metadata'
import type { AgUiCalls } from './ag-ui-calls.ts'
import type { AgUiBody, AgUiMessage } from './ag-ui-event.ts'

export type AgUiSubAgents = 'separate' | 'inline' | 'hidden'

/** What a client asked for. */
export interface AgUiRequest {
  readonly threadId: string
  readonly runId: string
  /** The version of AG-UI that the client speaks. Clients before 1.0 do not say. */
  readonly protocolVersion?: string | undefined
  /** The answer's message id. */
  readonly answerId: string
  /** What becomes of sub-agents: they are told apart, or as if they were the master, or not at all. */
  readonly subAgents: AgUiSubAgents
  /** What the client is to start from instead of what it has, which is part of this run already. */
  readonly snapshot?: readonly AgUiMessage[] | undefined
}

/** What must be remembered between two entries of a run. */
export interface AgUiState extends AgUiCalls {
  readonly request: AgUiRequest
  /** Who is at work: what is known of their messages. */
  readonly authors: ReadonlyMap<string, MessageMetadata>
  /** The ids of open text and reasoning messages. */
  readonly open: ReadonlySet<string>
  /** The open steps: whose they are, by their names. */
  readonly steps: ReadonlyMap<string, string>
}

/** What an entry changes, and what is told of it. */
export interface AgUiMove {
  readonly state: AgUiState
  readonly events: readonly AgUiBody[]
}

export function beginAgUi(request: AgUiRequest): AgUiState {
  return {
    request,
    authors: new Map(),
    open: new Set(),
    steps: new Map(),
    calls: new Map(),
    holder: undefined,
  }
}
