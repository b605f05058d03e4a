import { isRecord, randomHex } from '@throughline/protocol'
import type { ToolOutput } from '../chat/chat-api.ts'
import { ChatError } from '../http/chat-error.ts'
import { type AskOptions, askJson } from '../http/post-json.ts'

/**
 * Creates a session and returns its id. Queries with the same session id are one conversation. The id is made here, not
 * at the server. So the request is idempotent: sending it again after a broken connection creates no second session.
 * Throws a `ChatError`, or the signal's reason.
 */
export async function createSession(options: AskOptions = {}): Promise<string> {
  const body = await askJson('/sessions', { session_id: `chat_${randomHex(16)}` }, options)
  const { session_id: id } = isRecord(body) ? body : {}
  if (typeof id === 'string') return id
  throw new ChatError('bad-data', 'The server responded without a "session_id". Check that "url" is its own.')
}

/**
 * Stops the answer that is being written in a session: the agent, its tools and its sub-agents. The text that is there
 * stays. Resolves when the answer has ended, or when there was none. Throws a `ChatError`, or the signal's reason.
 */
export async function stopSession(sessionId: string, options: AskOptions = {}): Promise<void> {
  await askJson(`/api/chat/${encodeURIComponent(sessionId)}/stop`, {}, options)
}

/** A person's decision on a tool call that waits for approval. */
interface ApprovalDecision {
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

/** The output of a tool call that waits for it. */
export interface GivenToolOutput {
  readonly sessionId: string
  /** The `request_id` of the `output_request` event. */
  readonly requestId: string
  readonly output: ToolOutput
}

/**
 * Gives a tool call its output, or says why there is none. The same output may be sent again. Throws a `ChatError` when the
 * call has got another one, or does not wait any more, or the signal's reason.
 */
export async function giveOutput(given: GivenToolOutput, options: AskOptions = {}): Promise<void> {
  const { sessionId, requestId, output } = given
  const path = `/sessions/${encodeURIComponent(sessionId)}/outputs/${encodeURIComponent(requestId)}`
  await askJson(path, output, options)
}
