import { noContext, requestContextSchema } from '@throughline/agents/internal'
import { isRecord, ProblemError } from '@throughline/protocol'
import { z } from 'zod'
import type { AgUiMessage } from '../../stream/ag-ui/ag-ui-event.ts'
import { contentParts } from '../attachments/content-parts.ts'
import { askedOnBusy } from '../request/requests.ts'

/** Fields that AG-UI does not have, in `forwardedProps.throughline`. Other properties of `forwardedProps` are ignored. */
const ownFields = z.object({
  agent: z.string().optional(),
  expected_assistant_message_id: z.string().optional(),
  context: requestContextSchema.default(noContext),
  onBusy: askedOnBusy,
  /** `regenerate-message` asks for another answer to the message `messageId`, or else to the last user message. */
  trigger: z.enum(['submit-message', 'regenerate-message']).default('submit-message'),
  messageId: z.string().optional(),
  /** The same as the header `Last-Event-ID`, for clients that cannot send headers. */
  lastEventId: z.string().max(1_000).optional(),
})

/** The longest id of a thread, a run or an interrupt, in characters. Those of messages may be longer: none is kept. */
const maxIdLength = 128

const interruptId = z.string().max(maxIdLength)

const resumeEntry = z.discriminatedUnion('status', [
  z.object({ interruptId, status: z.literal('resolved'), payload: z.unknown().optional() }),
  z.object({ interruptId, status: z.literal('cancelled') }),
])
/** What a person says to one interrupt, as an AG-UI client sends it: a decision, or the output of a call. */
export type AgUiResumeEntry = z.infer<typeof resumeEntry>

/** The fields of the body of `POST /ag-ui`, a `RunAgentInput`, that are used. The server has its own history and state. */
export const agUiRequestForm = z.object({
  threadId: z.string().max(maxIdLength),
  runId: z.string().max(maxIdLength),
  /** Clients before AG-UI 1.0 send none. */
  protocolVersion: z.string().max(100).optional(),
  messages: z.array(z.looseObject({ id: z.string(), role: z.string().max(maxIdLength) })).min(1),
  forwardedProps: z.preprocess(
    value => (isRecord(value) ? value['throughline'] : undefined) ?? {},
    ownFields,
  ),
  /** The tools of the client, for the asked agent. */
  tools: z.array(z.unknown()).nullish(),
  resume: z.array(resumeEntry).max(1_000).nullish(),
})

/** The body of `POST /ag-ui`. */
export type AgUiRequestBody = z.infer<typeof agUiRequestForm>

/** Returns the message to answer: the last user message. Throws a 400 problem when there is none. */
export function questionIn(messages: readonly AgUiMessage[]): AgUiMessage {
  const question = messages.findLast(({ role }) => role === 'user')
  if (question !== undefined) return question
  throw new ProblemError(
    400,
    'no-user-message',
    'There is nothing to answer: send at least one message with the role "user".',
  )
}

/** Returns the message as our own clients send it. */
export function submittedFrom({ id, content, name }: AgUiMessage) {
  return {
    id,
    role: 'user',
    parts: contentParts(content),
    ...(typeof name === 'string' && { metadata: { senderName: name } }),
  }
}

/**
 * Returns the messages for a client that has a part of the answer already; `undefined` when it has nothing of it.
 *
 * Such a client asks for the second time, and would append the stream to what it has. So the messages of the answer are
 * emptied. They stay where they are, and all other messages stay as they are.
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
  // A result comes again as a new message, so the old one is removed.
  if (message.role === 'tool') return []
  return [message.role === 'reasoning' ? { ...message, content: '' } : message]
}
