import type { AgentFrame } from '../run/agent-frame.ts'
import { assertShown } from '../run/assert-shown.ts'
import { ToolDenied, waitForApproval } from '../run/wait-for-approval.ts'
import type { ClaudePermission, ClaudeToolContext } from './claude-query.ts'

/** Returns the `canUseTool` of one answer: a person decides about each call that the SDK does not allow by itself. */
export function askPermission(caller: AgentFrame) {
  return async (
    toolName: string,
    input: Record<string, unknown>,
    { toolUseID: toolCallId, agentID }: ClaudeToolContext,
  ): Promise<ClaudePermission> => {
    // The call of a sub-agent is not shown, so nobody can see what they would approve.
    if (agentID !== undefined) return { behavior: 'deny', message: ofSubAgent(toolName) }
    if (toolName === 'AskUserQuestion') return { behavior: 'deny', message: noForms }
    const call = { toolCallId, toolName, input }
    const frame = { ...caller, callId: await caller.writer.called(toolCallId, toolName) }
    try {
      assertShown(input, frame.run.limits.maxToolOutputBytes)
      await waitForApproval(frame, call)
      return { behavior: 'allow', updatedInput: input }
    } catch (error) {
      if (frame.signal.aborted && !(error instanceof ToolDenied)) throw error
      return { behavior: 'deny', message: error instanceof Error ? error.message : String(error) }
    }
  }
}

function ofSubAgent(toolName: string): string {
  return `The tool ${toolName} needs approval, which nobody can give to a sub-agent here. Do without it, or let the main agent call it.`
}

const noForms = 'Nobody can answer this form here. Ask in the text of your answer, and end your turn.'
