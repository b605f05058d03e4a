import { type AgentFrame, currentFrame } from './agent-frame.ts'
import type { ApprovalDecision } from './approval-desk.ts'
import { type ApprovalQuestion, ToolDenied, waitForApproval } from './wait-for-approval.ts'
import { type OutputQuestion, waitForOutput } from './wait-for-output.ts'

/**
 * Asks the people who follow an answer about a call that the agent has yielded, and waits for their decision. Call it in
 * the code of an agent, after the `tool-call` event. Clients see the request, and what was decided. Nobody decides in time:
 * the call is denied. After a denial the call has ended: yield no result for it. Throws the signal's reason after a stop.
 */
export async function askApproval(call: ApprovalQuestion): Promise<ApprovalDecision> {
  try {
    await waitForApproval(await frameOfCall(call), call)
    return { approved: true }
  } catch (error) {
    if (error instanceof ToolDenied) return { approved: false, reason: error.reason }
    throw error
  }
}

/**
 * Waits for the output of a call that the agent has yielded. It comes from the program that shows the chat (`from:
 * 'client'`), or from a person, who is shown a field to answer (`from: 'person'`). Call it in the code of an agent, after
 * the `tool-call` event, and yield the result afterwards. Throws a `NoOutput` error when an error comes in its place, or
 * nothing in time, and the signal's reason after a stop.
 */
export async function askOutput({ from, ...call }: OutputQuestion): Promise<unknown> {
  return waitForOutput(await frameOfCall(call), { ...call, from })
}

/** A tool works in a frame that knows its call already. An agent's calls are known when they have been written. */
async function frameOfCall({ toolCallId, toolName }: ApprovalQuestion): Promise<AgentFrame> {
  const frame = currentFrame()
  if (frame.callId !== undefined) return frame
  return { ...frame, callId: await frame.writer.called(toolCallId, toolName) }
}
