import { type Message, ProblemError } from '@throughline/protocol'
import type { Run, Store } from '@throughline/store'
import type { NamedSubmission } from './saved-submission.ts'
import { isNewMessage, type NewMessage, type Submission } from './submission.ts'

/**
 * Returns the message as it is saved. If it does not follow the last message of the chat, its metadata gets the id of
 * the message that it follows. Throws when the sender named a message that the chat does not have.
 */
export async function placeMessage(
  { messages }: Pick<Store, 'messages'>,
  submission: NewMessage,
): Promise<Message> {
  const { chatId, message, place } = submission
  if (place.type === 'end') return message
  const { after } = place
  if (after !== '' && (await messages.previous(submission, after)) === undefined) {
    if (place.type === 'shown') return message
    throw new ProblemError(
      400,
      'unknown-message',
      `The message cannot follow ${JSON.stringify(after.slice(0, 128))}: chat ${chatId} has no such user message or answer.`,
    )
  }
  if (after === (await messages.last(submission))) return message
  return { ...message, metadata: { ...message.metadata, previousMessageId: after } }
}

/**
 * Returns the run that has to end before the place of a new message can be looked up. The message may follow the answer
 * of that run, and an answer is saved only when its run ends.
 */
export async function runToWaitFor(
  { runs }: Pick<Store, 'runs'>,
  submission: Submission,
): Promise<Run | undefined> {
  const isAtEnd = !isNewMessage(submission) || submission.place.type === 'end'
  return isAtEnd ? undefined : runs.active(submission)
}

/**
 * Returns the submission as it is after it has waited for a run. The sender's page may not have known of that run, for
 * example because it was started in another window. Then the page shows everything except the run, and the new message
 * must not become a branch beside it. It goes to the end of the chat.
 */
export async function placeAfterWaiting(
  { messages }: Pick<Store, 'messages'>,
  submission: Submission,
  run: Run,
): Promise<Submission> {
  if (!isNewMessage(submission) || submission.place.type !== 'shown' || run.kind !== 'answer')
    return submission
  const before = await messages.previous(submission, run.userMessageId)
  return before === submission.place.after ? { ...submission, place: { type: 'end' } } : submission
}

/**
 * Returns a submission that waited, with its place after the run that had the chat when it came. That run may be over by
 * now: then nobody else sees that the submission waited for it. Ignores the run if a message
 * interrupted it, or if it still goes on: then `admitSubmission` places the message.
 */
export async function placeBehind(
  store: Pick<Store, 'messages' | 'runs'>,
  { submission, behind }: NamedSubmission,
): Promise<Submission> {
  const run = behind && (await store.runs.get(submission.ownerId, behind))
  const isInterrupted = run?.status === 'stopped' && run.stopRequestedBy === 'message'
  const isOver = run !== undefined && run.status !== 'running' && !isInterrupted
  return isOver ? placeAfterWaiting(store, submission, run) : submission
}
