import { type AskOptions, askJson } from '../http/ask-json.ts'
import { ChatError } from '../http/chat-error.ts'

/** A person's decision on a tool call that waits for approval. */
export interface ApprovalDecision {
  readonly sessionId: string
  /** The `approval_id` of the `approval_request` event. */
  readonly approvalId: string
  readonly approved: boolean
  /** Why. The agent is told the reason. */
  readonly reason?: string | undefined
}

/**
 * Sends a person's decision on a tool call that waits for approval. Also resolves when the call no longer waits,
 * because somebody else was faster or because the time was up. The `approval_response` event says what was decided in
 * the end. Throws a `ChatError`, or the signal's reason.
 */
export async function decideApproval(decision: ApprovalDecision, options: AskOptions = {}): Promise<void> {
  const { sessionId, approvalId, approved, reason } = decision
  const path = `/sessions/${encodeURIComponent(sessionId)}/approvals/${encodeURIComponent(approvalId)}`
  try {
    await askJson(path, { approved, reason }, options)
  } catch (error) {
    if (!(error instanceof ChatError && error.code === 'approval-not-waiting')) throw error
  }
}
