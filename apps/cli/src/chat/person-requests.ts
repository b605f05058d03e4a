import { isToolPart, type Message, type Part, type ToolPart, toolNameOf } from '@throughline/protocol'
import { inOneLine } from '../text/plain-text.ts'

/** A tool call that waits for a person. */
export interface ApprovalRequest {
  readonly id: string
  readonly toolName: string
}

type AskingPart = ToolPart & { readonly approval: NonNullable<ToolPart['approval']> }

/** Returns the tool calls of all agents that wait for a decision. */
export function waitingApprovals(messages: readonly Message[]): readonly ApprovalRequest[] {
  return messages.flatMap(message =>
    message.parts.flatMap(part =>
      isAskingApproval(message, part)
        ? [{ id: part.approval.id, toolName: inOneLine(toolNameOf(part)) }]
        : [],
    ),
  )
}

/** Returns whether a tool call waits for a decision. When its message has ended, it no longer does. */
export function isAskingApproval({ metadata }: Message, part: Part): part is AskingPart {
  return (
    isToolPart(part) &&
    part.state === 'approval-requested' &&
    part.approval !== undefined &&
    metadata?.status === 'streaming'
  )
}

/** Returns the key of the block that shows the request. */
export function approvalKey(approvalId: string): string {
  return `approval ${approvalId}`
}
