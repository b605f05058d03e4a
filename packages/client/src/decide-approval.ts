import { type AskOptions, askJson } from './ask-json.ts'
import { ChatError } from './chat-error.ts'

/** A person's decision on a call that waits. */
export interface ApprovalDecision {
  readonly sessionId: string
  /** As the `approval_request` event names it. */
  readonly approvalId: string
  readonly approved: boolean
  /** Told to the agent. */
  readonly reason?: string | undefined
}

/**
 * Answers a tool call that waits for a person. Resolves also when the call does not wait any more, because somebody else
 * was first or because its time was up: what was decided is in the `approval_response` event. Throws a `ChatError`, or
 * the signal's reason.
 */
export async function decideApproval(answer: ApprovalDecision, options: AskOptions = {}): Promise<void> {
  const { sessionId, approvalId, approved, reason } = answer
  const path = `/sessions/${encodeURIComponent(sessionId)}/approvals/${encodeURIComponent(approvalId)}`
  try {
    await askJson(path, { approved, reason }, options)
  } catch (error) {
    if (!(error instanceof ChatError && error.code === 'approval-not-waiting')) throw error
  }
}
