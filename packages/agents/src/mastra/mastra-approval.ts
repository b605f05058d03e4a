import { type AgentFrame, currentFrame } from '../run/agent-frame.ts'
import { assertShown } from '../run/assert-shown.ts'
import { type ApprovalQuestion, ToolDenied, waitForApproval } from '../run/wait-for-approval.ts'
import type { MastraAgent, MastraCall, MastraOutput } from './mastra-agent.ts'
import type { WaitingCall } from './mastra-chunk.ts'

/** A run of Mastra that is suspended. */
export interface SuspendedRun {
  readonly agent: MastraAgent
  readonly runId: string
  /** The options with which the run goes on. */
  readonly call: MastraCall
}

/** Asks a person about a call for which Mastra has suspended the run, and resumes the run with the decision. */
export async function resumeAfterApproval(
  { agent, runId, call }: SuspendedRun,
  { toolCallId, toolName, args: input }: WaitingCall,
): Promise<MastraOutput> {
  const caller = currentFrame()
  const frame = { ...caller, callId: await caller.writer.called(toolCallId, toolName) }
  const reason = await refusalOf(frame, { toolCallId, toolName, input })
  return reason === undefined
    ? agent.approveToolCall({ ...call, runId, toolCallId })
    : agent.declineToolCall({ ...call, runId, toolCallId, reason })
}

/** Returns why the call may not be carried out, for the model; `undefined` when a person has approved it. */
async function refusalOf(frame: AgentFrame, question: ApprovalQuestion): Promise<string | undefined> {
  try {
    assertShown(question.input, frame.run.limits.maxToolOutputBytes)
  } catch (error) {
    const errorText = error instanceof Error ? error.message : 'The input cannot be shown.'
    await frame.writer.write({ type: 'tool-error', ...question, errorText })
    return errorText
  }
  try {
    await waitForApproval(frame, question)
    return undefined
  } catch (error) {
    if (error instanceof ToolDenied) return error.message
    throw error
  }
}
