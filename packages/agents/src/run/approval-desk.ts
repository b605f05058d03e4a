import type { MessageId } from '@throughline/protocol'

/** A tool call that needs the decision of a person. */
export interface ApprovalRequest {
  readonly messageId: MessageId
  readonly toolCallId: string
  readonly toolName: string
  readonly input: unknown
}

/** What a person has decided. */
export interface ApprovalDecision {
  readonly approved: boolean
  /** Why. The model reads it. */
  readonly reason?: string | undefined
}

/** Where tool calls wait for the decision of a person. The record of a request belongs to one call and its input. */
export interface ApprovalDesk {
  /** Saves the request. `decided` resolves when a person has decided. */
  open(
    request: ApprovalRequest,
  ): Promise<{ readonly id: string; readonly decided: Promise<ApprovalDecision> }>
  /** Waits again for a decision on a request that an earlier attempt of the run has opened. */
  attach(id: string): Promise<{ readonly decided: Promise<ApprovalDecision> }>
  /** Closes a request for which nobody waits any more. Later decisions are refused. Resolves to an earlier one. */
  withdraw(id: string): Promise<ApprovalDecision | undefined>
}
