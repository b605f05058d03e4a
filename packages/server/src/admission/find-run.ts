import { createHash } from 'node:crypto'
import { type ChatKey, isMessageId, type Message, type MessageId, ProblemError } from '@throughline/protocol'
import type { Run, Store } from '@throughline/store'
import { isNewMessage, type NewMessage, type Submission } from './submission.ts'

type RunFinder = Pick<Store, 'runs' | 'messages'>

/**
 * Finds the run that an earlier, equal submission has started. A new message is recognised by its id, any other
 * submission by the answer id that it proposes. Throws when the message id belongs to another message, or to a message
 * that was deleted.
 */
export function findRun(store: RunFinder, submission: Submission): Promise<Run | undefined> {
  return isNewMessage(submission)
    ? findRunOfMessage(store, submission)
    : findRunOfAnswer(store, submission, submission.proposedAnswerId)
}

/** Returns whether a run was started by an equal submission. The same rule as in `findRun`. */
export function isRunOf({ userMessageId, answerId }: Run, submission: Submission): boolean {
  return isNewMessage(submission)
    ? userMessageId === submission.message.id
    : answerId === submission.proposedAnswerId
}

async function findRunOfAnswer(
  { runs }: RunFinder,
  submission: Submission,
  answerId: string | undefined,
): Promise<Run | undefined> {
  const run = isMessageId(answerId) ? await runs.ofAnswer(submission, answerId) : undefined
  return run?.userMessageId === submission.message.id ? run : undefined
}

async function findRunOfMessage(
  { runs, messages }: RunFinder,
  submission: NewMessage,
): Promise<Run | undefined> {
  const { message, sentDigest } = submission
  const { id, parts } = message
  // The order matters. A run is saved together with its message. So if there is a run but no message afterwards, the
  // message was deleted, and it must not be answered again.
  const before = await runs.ofUserMessage(submission, id)
  const saved = await messages.find(submission, id)
  if (saved === undefined && before === undefined) return undefined
  if (saved === undefined) throw messageDeleted(submission, id)
  // The run may have begun in between.
  const run = before ?? (await runs.ofUserMessage(submission, id))
  const known = { parts: saved.parts, sentDigest: run?.sentDigest }
  if (saved.role === 'user' && isSameMessage(known, { parts, sentDigest })) return run
  throw new ProblemError(
    409,
    'message-id-taken',
    `Chat ${submission.chatId} already has another message with the id ${id}. Send a new message under a new id.`,
  )
}

function messageDeleted({ chatId }: ChatKey, messageId: MessageId): ProblemError {
  return new ProblemError(
    409,
    'message-deleted',
    `Message ${messageId} of chat ${chatId} was deleted. Send a new message under a new id.`,
  )
}

/** A message as it was sent, or as it is saved. */
export interface MessageAsSent extends Pick<Message, 'parts'> {
  /** The digest of the parts that were sent, when the message was edited while it waited. */
  readonly sentDigest?: string | undefined
}

/**
 * Returns whether two messages with the same id are one message. They are if they have the same parts. They also are if
 * they were sent with the same parts, and somebody has edited one of them while it waited: whoever sends such a message
 * again does not know of the edit.
 */
export function isSameMessage(one: MessageAsSent, other: MessageAsSent): boolean {
  return JSON.stringify(one.parts) === JSON.stringify(other.parts) || digestOf(one) === digestOf(other)
}

/** Returns a digest of the parts with which a message was sent. */
export function digestOf({ parts, sentDigest }: MessageAsSent): string {
  return sentDigest ?? createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}
