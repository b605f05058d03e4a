import { noContext, requestContextSchema } from '@throughline/agents/run/request-context'
import { isRecord } from '@throughline/protocol/chunk'
import { ProblemError } from '@throughline/protocol/problem'
import { z } from 'zod'
import type { AgUiMessage } from '../../stream/ag-ui/ag-ui-event.ts'
import { askedOnBusy } from '../requests.ts'

/** What AG-UI has no field for, in `forwardedProps.throughline`; other properties there are the application's own. */
const ownFields = z.object({
  agent: z.string().optional(),
  expected_assistant_message_id: z.string().optional(),
  context: requestContextSchema.default(noContext),
  onBusy: askedOnBusy,
  /** `regenerate-message` asks for another answer: to the message of this id, or to the last one of the person's. */
  trigger: z.enum(['submit-message', 'regenerate-message']).default('submit-message'),
  messageId: z.string().optional(),
})

/** A person's decision on a call that waits. Only a clear yes is one. */
const decisionPayload = z.union([
  z.boolean().transform(approved => ({ approved })),
  z.object({ approved: z.boolean(), reason: z.string().optional(), editedArgs: z.unknown().optional() }),
])

const resumeEntry = z.discriminatedUnion('status', [
  z.object({ interruptId: z.string(), status: z.literal('resolved'), payload: decisionPayload }),
  z.object({ interruptId: z.string(), status: z.literal('cancelled') }),
])
export type AgUiResumeEntry = z.infer<typeof resumeEntry>

/** The body of `POST /ag-ui`: a `RunAgentInput`, as far as it is used. History, state and tools are the server's own. */
export const agUiBody = z.object({
  threadId: z.string(),
  runId: z.string(),
  /** Clients before AG-UI 1.0 send none. */
  protocolVersion: z.string().optional(),
  messages: z.array(z.looseObject({ id: z.string(), role: z.string() })).min(1),
  forwardedProps: z.preprocess(
    value => (isRecord(value) ? value['throughline'] : undefined) ?? {},
    ownFields,
  ),
  resume: z.array(resumeEntry).max(1_000).nullish(),
})

export type AgUiBody = z.infer<typeof agUiBody>

/** The message that is to be answered: the last one of the person's. */
export function questionIn(messages: readonly AgUiMessage[]): AgUiMessage {
  const question = messages.findLast(({ role }) => role === 'user')
  if (question !== undefined) return question
  throw new ProblemError(
    400,
    'no-user-message',
    'There is nothing to answer: send at least one message with the role "user".',
  )
}

/** The message as our own clients would send it. */
export function submittedFrom({ id, content, name }: AgUiMessage) {
  return {
    id,
    role: 'user',
    parts: typeof content === 'string' ? [{ type: 'text', text: content }] : content,
    ...(typeof name === 'string' && { metadata: { senderName: name } }),
  }
}

/**
 * The messages that a client is to go on from, when it has a part of the answer already: it asks a second time, and
 * would add what it gets now to what it has. Its own messages stay; those of the answer are emptied, in their places.
 */
export function withoutAnswer(
  messages: readonly AgUiMessage[],
  answerId: string,
): readonly AgUiMessage[] | undefined {
  const asked = messages.findLastIndex(({ role }) => role === 'user')
  const isAnswers = ({ id, subagentRunId }: AgUiMessage, index: number) =>
    index > asked && id.startsWith(`${typeof subagentRunId === 'string' ? subagentRunId : answerId}:`)
  if (!messages.some(isAnswers)) return undefined
  return messages.flatMap((message, index) => (isAnswers(message, index) ? emptied(message) : [message]))
}

function emptied({ content, toolCalls, ...message }: AgUiMessage): readonly AgUiMessage[] {
  // Results come as new messages, wherever an old one may be.
  if (message.role === 'tool') return []
  return [message.role === 'reasoning' ? { ...message, content: '' } : message]
}
