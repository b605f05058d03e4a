import { clientToolSchema, requestContextSchema } from '@throughline/agents/internal'
import { createId, isMessageId, isRecord, isRunId, type RunId } from '@throughline/protocol'
import { parseJson } from '@throughline/protocol/internal'
import type { WaitingSubmission } from '@throughline/store'
import { z } from 'zod'
import type { SubmittedMessage } from '../engine/saved-history.ts'
import { busyRules, isNewMessage, type Submission } from './submission.ts'

/** A submission that can wait in the queue of its chat. The queue knows it by its `waitingId`. */
export interface NamedSubmission {
  readonly submission: Submission
  /** The id of the new message; for any other submission, the id that its answer will have. */
  readonly waitingId: string
  /** The run that had the chat when the submission came. */
  readonly behind?: RunId | undefined
  /** The files that a new message has brought. Only of a submission that was read from its row. */
  readonly fileIds?: readonly string[] | undefined
}

/** Names a submission. One that brings no message, and proposes no usable id for its answer, gets such an id here. */
export function nameSubmission(submission: Submission): NamedSubmission {
  if (isNewMessage(submission)) return { submission, waitingId: submission.message.id }
  const { proposedAnswerId } = submission
  const waitingId = isMessageId(proposedAnswerId) ? proposedAnswerId : createId(isMessageId, 'msg')
  return { submission: { ...submission, proposedAnswerId: waitingId }, waitingId }
}

/** Returns a submission as it is saved while it waits. The bytes of its files are saved elsewhere. */
export function waitingFrom(
  { submission, waitingId, behind, fileIds }: NamedSubmission,
  createdAt: string,
): WaitingSubmission {
  const { ownerId, chatId, kind, message, agent, model, context, sender, proposedAnswerId, onBusy } =
    submission
  const { displayName, roles, permittedTools } = sender
  const { clientTools } = submission
  const saved: z.infer<typeof savedSchema> = {
    kind,
    message,
    place: isNewMessage(submission) ? submission.place : { type: 'end' },
    agent,
    model,
    context,
    sender: { displayName, roles: [...roles], permittedTools: permittedTools && [...permittedTools] },
    proposedAnswerId,
    onBusy,
    behind,
    ...(clientTools !== undefined && clientTools.length > 0 && { clientTools: [...clientTools] }),
    ...(isNewMessage(submission)
      ? {
          fileIds: fileIds ? [...fileIds] : submission.files?.map(({ id }) => id),
          sentDigest: submission.sentDigest,
        }
      : {}),
  }
  return { ownerId, chatId, id: waitingId, createdAt, body: JSON.stringify(saved) }
}

/** Returns the submission of a row, or `undefined` when the row is damaged: it is not as it was saved. */
export function readableSubmission({
  ownerId,
  chatId,
  id,
  body,
}: WaitingSubmission): NamedSubmission | undefined {
  const { success, data } = savedSchema.safeParse(parseJson(body))
  if (!success) return undefined
  const { kind, message, place, agent, model, context, proposedAnswerId, onBusy, behind, fileIds } = data
  const { sentDigest, clientTools } = data
  const { displayName, roles, permittedTools } = data.sender
  const sender = { displayName, roles, permittedTools: permittedTools && new Set(permittedTools) }
  const asked = { agent, model, clientTools, context, proposedAnswerId, onBusy }
  const common = { ownerId, chatId, sender, message, ...asked }
  const submission: Submission =
    kind === 'answer' || kind === 'message' ? { ...common, kind, place, sentDigest } : { ...common, kind }
  return { submission, waitingId: id, behind, fileIds }
}

const savedSchema = z.object({
  kind: z.enum(['answer', 'message', 'another-answer', 'follow-up']),
  message: z.custom<SubmittedMessage>(isSubmittedMessage),
  place: z.discriminatedUnion('type', [
    z.object({ type: z.literal('end') }),
    z.object({ type: z.enum(['named', 'shown']), after: z.string() }),
  ]),
  agent: z.string(),
  model: z.string().optional(),
  clientTools: z.array(clientToolSchema).optional(),
  context: requestContextSchema,
  sender: z.object({
    displayName: z.string().optional(),
    roles: z.array(z.string()),
    permittedTools: z.array(z.string()).optional(),
  }),
  proposedAnswerId: z.string().optional(),
  onBusy: z.enum(busyRules),
  behind: z.custom<RunId>(isRunId).optional(),
  fileIds: z.array(z.string()).optional(),
  sentDigest: z.string().optional(),
})

// `waitingFrom` wrote it, so it is enough to recognise damage.
function isSubmittedMessage(value: unknown): boolean {
  return (
    isRecord(value) && isMessageId(value['id']) && value['role'] === 'user' && Array.isArray(value['parts'])
  )
}
