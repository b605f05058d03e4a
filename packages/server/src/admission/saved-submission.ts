import { clientToolSchema, requestContextSchema } from '@throughline/agents/internal'
import {
  type ChatKey,
  createId,
  isFilePart,
  isMessageId,
  isRecord,
  isRunId,
  type Message,
  ProblemError,
  type RunId,
} from '@throughline/protocol'
import { parseJson } from '@throughline/protocol/internal'
import type { Store, WaitingSubmission } from '@throughline/store'
import { z } from 'zod'
import type { SubmittedMessage } from '../engine/saved-history.ts'
import { notWaiting } from '../refusals/queue-problems.ts'
import type { Sender } from '../who/sender.ts'
import { digestOf } from './find-run.ts'
import { busyRules, isNewMessage, type NewMessage, type Submission } from './submission.ts'

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

/** An edit of a message that waits, and who edits it. */
interface WaitingEdit {
  readonly waitingId: string
  readonly text: string
  readonly sender: Sender
}

/**
 * Gives a message that waits another text. Its id, its place in the queue and its files stay. Returns it as it waits now.
 *
 * Its run gets the tools and roles of whoever edits it. What it says is theirs now, and they may be permitted less than
 * whoever queued it, or than they were then.
 *
 * Throws a `ProblemError` when it does not wait, or not any more, and when nothing would be left of it.
 */
export async function editWaiting(
  { waitingSubmissions }: Pick<Store, 'waitingSubmissions'>,
  chat: ChatKey,
  { waitingId, text, sender }: WaitingEdit,
): Promise<WaitingSubmission> {
  for (;;) {
    const waiting = await waitingSubmissions.find(chat, waitingId)
    const named = waiting && readableSubmission(waiting)
    // Somebody who asks for another answer has sent no message that could be edited.
    if (waiting === undefined || named === undefined || !isNewMessage(named.submission))
      throw notWaiting(chat.chatId, waitingId)
    const submission = { ...withText(named.submission, text), sender }
    const edited = waitingFrom({ ...named, submission }, waiting.createdAt)
    if (await waitingSubmissions.rewrite(chat, waiting, edited.body)) return edited
    // Its turn has come, or somebody else has edited or removed it at the same moment. The next look says which.
  }
}

function withText(submission: NewMessage, text: string): NewMessage {
  const { message, sentDigest } = submission
  const parts = [...message.parts.filter(isFilePart), ...textParts(text)]
  if (parts.length === 0) {
    throw new ProblemError(
      400,
      'empty-message',
      'Nothing would be left of the message. Send a text that is not blank, or remove the message from the queue.',
    )
  }
  return {
    ...submission,
    message: { ...message, parts },
    sentDigest: digestOf({ parts: message.parts, sentDigest }),
  }
}

function textParts(text: string): Message['parts'] {
  return text.trim() === '' ? [] : [{ type: 'text', text }]
}
