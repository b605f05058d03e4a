import type { MessageId, OutputSource } from '@throughline/protocol'

/** A tool call that needs the decision of a person. */
export interface AskedApproval {
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
  open(request: AskedApproval): Promise<{ readonly id: string; readonly decided: Promise<ApprovalDecision> }>
  /** Waits again for a decision on a request that an earlier attempt of the run has opened. */
  attach(id: string): Promise<{ readonly decided: Promise<ApprovalDecision> }>
  /** Closes a request for which nobody waits any more. Later decisions are refused. Resolves to an earlier one. */
  withdraw(id: string): Promise<ApprovalDecision | undefined>
}

/** A tool call that needs its output from outside. */
interface OutputRequestOptions {
  readonly messageId: MessageId
  readonly toolCallId: string
  readonly toolName: string
  readonly input: unknown
  /** Who gives the output. */
  readonly from: OutputSource
}

/** What came for a call: its output, or an error of whoever should have made it. */
export type GivenOutput =
  | { readonly type: 'output'; readonly output: unknown }
  | { readonly type: 'error'; readonly errorText: string }

/** Where tool calls wait for outputs from outside. The record of a request belongs to one call and its input. */
export interface OutputDesk {
  /**
   * Saves the request. `given` resolves when the output has come. A request for the same call with the same input that an
   * earlier attempt of the run has saved goes on.
   */
  open(request: OutputRequestOptions): Promise<{ readonly id: string; readonly given: Promise<GivenOutput> }>
  /** Closes a request for which nobody waits any more. Later outputs are refused. Resolves to an earlier one. */
  withdraw(id: string): Promise<GivenOutput | undefined>
}
