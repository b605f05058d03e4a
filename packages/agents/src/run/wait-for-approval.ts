import type { AgentFrame } from './agent-frame.ts'
import type { ApprovalDecision } from './desks.ts'
import { RunLeft } from './run-stopped.ts'

/** A tool call that needs approval. */
export interface ApprovalQuestion {
  readonly toolCallId: string
  readonly toolName: string
  readonly input: unknown
}

/** A person has denied the call, or has not decided in time. The model reads the message. */
export class ToolDenied extends Error {
  override readonly name = 'ToolDenied'
  /** Why, in the person's words. */
  readonly reason: string | undefined

  constructor(reason: string | undefined) {
    super(
      `The user did not allow this call${reason === undefined ? '' : `: ${reason}`}. Do not try it again.`,
    )
    this.reason = reason
  }
}

/** Waits in a tool call until a person has approved it. Throws `ToolDenied`, or the signal's reason after a stop. */
export async function waitForApproval(frame: AgentFrame, question: ApprovalQuestion): Promise<void> {
  const { run, writer, signal, earlierApproval } = frame
  const { toolCallId } = question
  if (earlierApproval?.isApproved === true) return
  const { approvalId, decided } =
    earlierApproval === undefined
      ? await openRequest(frame, question)
      : { approvalId: earlierApproval.id, ...(await run.approvals.attach(earlierApproval.id)) }
  const first = await settledInTime(decided, { timeoutMs: run.limits.maxApprovalMs, signal })
  // The call goes on waiting in another process.
  if (first === 'stopped' && signal.reason instanceof RunLeft) throw signal.reason
  // A decision may have been accepted in the moment when the time was up. Then it counts.
  const late = typeof first === 'string' ? await run.approvals.withdraw(approvalId) : undefined
  if (first === 'stopped') throw signal.reason
  const { approved, reason } = first === 'timeout' ? (late ?? timedOut) : first
  await writer.write({ type: 'tool-approval-response', toolCallId, approvalId, approved, reason })
  if (approved) return
  await writer.write({ type: 'tool-denied', toolCallId })
  throw new ToolDenied(reason)
}

async function openRequest({ run, writer, messageId, callId }: AgentFrame, question: ApprovalQuestion) {
  const { toolCallId } = question
  // The record has the id that readers see on the stream.
  const request = { ...question, messageId, toolCallId: callId ?? toolCallId }
  const { id: approvalId, decided } = await run.approvals.open(request)
  await writer.write({ type: 'tool-approval-request', toolCallId, approvalId })
  return { approvalId, decided }
}

const timedOut: ApprovalDecision = { approved: false, reason: 'Nobody decided in time.' }

/** Waits for what a person or a client sends, until the time is up or the signal aborts. */
export function settledInTime<Value extends object>(
  settled: Promise<Value>,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<Value | 'timeout' | 'stopped'> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => finish('timeout'), timeoutMs)
    const onAbort = () => finish('stopped')
    signal.addEventListener('abort', onAbort)
    settled.then(finish, reject)
    if (signal.aborted) onAbort()
    function finish(result: Value | 'timeout' | 'stopped') {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
      resolve(result)
    }
  })
}
