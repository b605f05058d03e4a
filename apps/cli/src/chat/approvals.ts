import { isToolPart, type Message, type Part, type ToolPart, toolNameOf } from '@throughline/protocol/message'
import { inOneLine } from '../text/plain-text.ts'

/** A tool call that waits for a person. */
export interface ApprovalRequest {
  readonly id: string
  readonly toolName: string
}

type AskingPart = ToolPart & { readonly approval: NonNullable<ToolPart['approval']> }

/** What waits for an answer, of all agents. */
export function waitingApprovals(messages: readonly Message[]): readonly ApprovalRequest[] {
  return messages.flatMap(message =>
    message.parts.flatMap(part =>
      isAskingApproval(message, part)
        ? [{ id: part.approval.id, toolName: inOneLine(toolNameOf(part)) }]
        : [],
    ),
  )
}

/** Nobody waits any more when the message has ended. */
export function isAskingApproval({ metadata }: Message, part: Part): part is AskingPart {
  return (
    isToolPart(part) &&
    part.state === 'approval-requested' &&
    part.approval !== undefined &&
    metadata?.status === 'streaming'
  )
}

/** Under this key the request is printed. */
export function approvalKey(approvalId: string): string {
  return `approval ${approvalId}`
}
