import type { MessageId } from '@throughline/protocol/ids'

export interface ApprovalRequest {
  readonly messageId: MessageId
  readonly toolCallId: string
  readonly toolName: string
  readonly input: unknown
}

export interface ApprovalDecision {
  readonly approved: boolean
  readonly reason?: string | undefined
}

/** Where a tool call waits for a person. The record of a request is bound to its call and input, and used once. */
export interface ApprovalDesk {
  /** Writes the request down; `decided` resolves when a person has answered. */
  open(
    request: ApprovalRequest,
  ): Promise<{ readonly id: string; readonly decided: Promise<ApprovalDecision> }>
  /** Nobody waits for it any more: an answer that comes later is refused. Tells one that came before. */
  withdraw(id: string): Promise<ApprovalDecision | undefined>
}
