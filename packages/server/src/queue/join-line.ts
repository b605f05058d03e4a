import { ProblemError } from '@throughline/protocol'
import type { Store } from '@throughline/store'
import { isSameMessage, type SentMessage } from '../runs/same-message.ts'
import { isNewMessage, type Submission } from '../runs/submission.ts'
import { queueFull } from './queue-problems.ts'
import { type NamedSubmission, readableSubmission, waitingFrom } from './saved-submission.ts'

/** How many submissions may wait in one chat. */
export const maxWaiting = 50

interface LineOptions {
  readonly store: Store
  readonly now: () => Date
}

/**
 * Saves a submission at the end of the line of its chat, with its files. If it waits there already, it stays where it is.
 * Returns `no-chat` when the chat does not exist. Throws a `ProblemError` when the line is full, or when another
 * submission waits under the same id.
 */
export async function joinLine(
  { store, now }: LineOptions,
  named: NamedSubmission,
): Promise<'waits' | 'no-chat'> {
  const { waitingSubmissions } = store
  const { submission, lineId } = named
  const line = await waitingSubmissions.list(submission)
  const known = line.find(({ id }) => id === lineId)
  const waiting = known && readableSubmission(known)
  if (waiting !== undefined) return attach(named, waiting)
  // Under this id stands what nobody can read any more. This submission takes its place.
  if (known !== undefined) await waitingSubmissions.remove(submission, lineId)
  // Nothing is written for a submission that is going to be refused.
  if (line.length >= maxWaiting) throw queueFull(submission, maxWaiting)
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
      return joinLine({ store, now }, named)
    case 'full':
      throw queueFull(submission, maxWaiting)
    case 'no-chat':
      return 'no-chat'
  }
}

/** Throws when the submission that waits under this id is another one. */
function attach({ submission, lineId }: NamedSubmission, known: NamedSubmission): 'waits' {
  const isSame =
    known.submission.kind === submission.kind && isSameMessage(sentIn(known.submission), sentIn(submission))
  if (isSame) return 'waits'
  throw new ProblemError(
    409,
    'message-id-taken',
    `Another message with the id ${lineId} waits in chat ${submission.chatId}. Send a new message under a new id.`,
  )
}

function sentIn(submission: Submission): SentMessage {
  const sentDigest = isNewMessage(submission) ? submission.sentDigest : undefined
  return { parts: submission.message.parts, sentDigest }
}
