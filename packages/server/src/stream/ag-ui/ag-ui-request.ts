import type { AgUiMessage } from './ag-ui-event.ts'

/** What becomes of sub-agents: AG-UI's own events for them, messages as if the master wrote them, or nothing. */
export type AgUiSubAgents = 'separate' | 'inline' | 'hidden'

/** What a client asked for. */
export interface AgUiRequest {
  readonly threadId: string
  readonly runId: string
  /** The version of AG-UI that the client speaks. Clients before 1.0 send none. */
  readonly protocolVersion?: string | undefined
  /** The answer's message id. */
  readonly answerId: string
  readonly subAgents: AgUiSubAgents
  /** The messages that the client replaces its own by, if it has some of this answer already. */
  readonly snapshot?: readonly AgUiMessage[] | undefined
  /** The client has everything up to this entry from an earlier AG-UI run, which was interrupted there. */
  readonly resumesAfter?: number | undefined
  /** The calls whose results the client has made itself. It would append ours to its messages, too. */
  readonly answered?: ReadonlySet<string> | undefined
}
