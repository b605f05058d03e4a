import { ProblemError } from '@throughline/protocol'
import type { Store } from '@throughline/store'
import { queueFull } from '../refusals/queue-problems.ts'
import { isSameMessage, type MessageAsSent } from './find-run.ts'
import { type NamedSubmission, readableSubmission, waitingFrom } from './saved-submission.ts'
import { isNewMessage, type Submission } from './submission.ts'

/** How many submissions may wait in one chat. */
export const maxWaiting = 50

interface QueueOptions {
  readonly store: Store
  readonly now: () => Date
}

/**
 * Saves a submission at the end of the queue of its chat, with its files. If it waits there already, it stays where it is.
 * Returns `no-chat` when the chat does not exist. Throws a `ProblemError` when the queue is full, or when another
 * submission waits under the same id.
 */
export async function enqueue(
  { store, now }: QueueOptions,
  named: NamedSubmission,
): Promise<'waits' | 'no-chat'> {
  const { waitingSubmissions } = store
  const { submission, waitingId } = named
  const queue = await waitingSubmissions.list(submission)
  const known = queue.find(({ id }) => id === waitingId)
  const waiting = known && readableSubmission(known)
  if (waiting !== undefined) return attach(named, waiting)
  // Under this id stands what nobody can read any more. This submission takes its place.
  if (known !== undefined) await waitingSubmissions.remove(submission, waitingId)
  // Nothing is written for a submission that is going to be refused.
  if (queue.length >= maxWaiting) throw queueFull(submission, maxWaiting)
  const files = isNewMessage(submission) ? (submission.files ?? []) : []
  for (const file of files) await store.files.write(submission, file)
  const at = now().toISOString()
  const added = await waitingSubmissions.add(waitingFrom(named, at), {
    max: maxWaiting,
    files,
    interruptAt: submission.onBusy === 'interrupt' ? at : undefined,
  })
  switch (added) {
    case 'added':
      return 'waits'
    case 'known':
    case 'again':
      return enqueue({ store, now }, named)
    case 'full':
      throw queueFull(submission, maxWaiting)
    case 'no-chat':
      return 'no-chat'
  }
}

/** Throws when the submission that waits under this id is another one. */
function attach({ submission, waitingId }: NamedSubmission, known: NamedSubmission): 'waits' {
  const isSame =
    known.submission.kind === submission.kind && isSameMessage(sentIn(known.submission), sentIn(submission))
  if (isSame) return 'waits'
  throw new ProblemError(
    409,
    'message-id-taken',
    `Another message with the id ${waitingId} waits in chat ${submission.chatId}. Send a new message under a new id.`,
  )
}

function sentIn(submission: Submission): MessageAsSent {
  const sentDigest = isNewMessage(submission) ? submission.sentDigest : undefined
  return { parts: submission.message.parts, sentDigest }
}
