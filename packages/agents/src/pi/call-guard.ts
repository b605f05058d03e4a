import type { AgentFrame } from '../run/agent-frame.ts'
import { assertMayAct } from '../run/assert-may-act.ts'
import { assertShown } from '../run/assert-shown.ts'
import { type ApprovalQuestion, ToolDenied, waitForApproval } from '../run/wait-for-approval.ts'

/** Returns whether a person has to approve this call before it runs. */
export type NeedsApproval = (call: ApprovalQuestion) => boolean

/**
 * Returns why a call must not run, for the model; `undefined` when it may. Asks a person where that is needed, and waits
 * until the call is in the log: if the process dies, the next one must know that the call was made. Throws the signal's
 * reason after a stop.
 */
export async function refusalOf(
  caller: AgentFrame,
  call: ApprovalQuestion,
  needsApproval: NeedsApproval = () => false,
): Promise<string | undefined> {
  const frame = { ...caller, callId: await caller.writer.called(call.toolCallId, call.toolName) }
  try {
    if (needsApproval(call)) {
      assertShown(call.input, frame.run.limits.maxToolOutputBytes)
      await waitForApproval(frame, call)
    }
    await frame.run.flush()
    assertMayAct(frame.run, { key: call.toolName })
    return undefined
  } catch (error) {
    if (frame.signal.aborted && !(error instanceof ToolDenied)) throw error
    return error instanceof Error ? error.message : String(error)
  }
}
