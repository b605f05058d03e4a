import {
  type AwaitedOutput,
  awaitedOutputs,
  isToolPart,
  type Message,
  type Part,
  questionText,
  type ToolPart,
  toolInput,
  toolNameOf,
} from '@throughline/protocol'
import { inOneLine } from '../text/plain-text.ts'

/** A tool call that waits for a person: for a decision, or for the answer to a question. */
export type PersonRequest = WaitingApproval | WaitingQuestion

/** A tool call that waits for a decision. */
export interface WaitingApproval {
  readonly type: 'approval'
  readonly id: string
  readonly toolName: string
}

/** A tool call that waits for an answer. */
export interface WaitingQuestion {
  readonly type: 'question'
  readonly id: string
  readonly question: string
}

type AskingPart = ToolPart & { readonly approval: NonNullable<ToolPart['approval']> }

/** Returns what all agents wait for a person for. */
export function personRequests(messages: readonly Message[]): readonly PersonRequest[] {
  return messages.flatMap(message => [
    ...message.parts.flatMap(part => (isAskingApproval(message, part) ? [approvalOf(part)] : [])),
    ...awaitedOutputs(message).flatMap(questionOf),
  ])
}

function approvalOf(part: AskingPart): WaitingApproval {
  return { type: 'approval', id: part.approval.id, toolName: inOneLine(toolNameOf(part)) }
}

function questionOf({ from, requestId: id, part }: AwaitedOutput): readonly WaitingQuestion[] {
  return from === 'person' ? [{ type: 'question', id, question: questionText(toolInput(part)) }] : []
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

/** Returns the question that a tool call asks a person now. */
export function waitingQuestionIn(message: Message, { toolCallId }: ToolPart): WaitingQuestion | undefined {
  const awaited = awaitedOutputs(message).filter(({ part }) => part.toolCallId === toolCallId)
  return awaited.flatMap(questionOf)[0]
}

/** Returns the key of the item that shows the request. */
export function requestKey(id: string): string {
  return `request ${id}`
}
