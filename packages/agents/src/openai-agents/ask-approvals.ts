import type { ToolCall } from '../agent-event.ts'
import type { AgentFrame } from '../run/agent-frame.ts'
import { assertShown } from '../run/assert-shown.ts'
import { ToolDenied, waitForApproval } from '../run/wait-for-approval.ts'
import type { WaitingCall } from './shown-calls.ts'
import type { RunState } from './streamed-run.ts'

/**
 * Waits until a person has decided about each of these calls, and tells the run. All of them are asked for at once. The
 * events of the calls must have been written. Throws the signal's reason after a stop.
 */
export async function askApprovals(
  frame: AgentFrame,
  state: RunState,
  calls: readonly WaitingCall[],
): Promise<void> {
  await Promise.all(
    calls.map(async ({ item, call }) => {
      const refusal = call === undefined ? unreadable : await refusalOf(frame, call)
      if (refusal === undefined) state.approve(item)
      else state.reject(item, { message: refusal })
    }),
  )
}

const unreadable = 'This call cannot be shown to a person, so nobody can approve it.'

/** Returns why the call is refused, for the model; `undefined` when a person has approved it. */
async function refusalOf(frame: AgentFrame, call: ToolCall): Promise<string | undefined> {
  const callId = await frame.writer.called(call.toolCallId, call.toolName)
  const problem = problemOf(call.input, frame.run.limits.maxToolOutputBytes)
  if (problem !== undefined) return problem
  try {
    await waitForApproval({ ...frame, callId }, call)
    return undefined
  } catch (error) {
    if (error instanceof ToolDenied) return error.message
    throw error
  }
}

/** Returns why the input cannot be shown in full; `undefined` when it can. */
function problemOf(input: unknown, maxBytes: number): string | undefined {
  try {
    assertShown(input, maxBytes)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
