import type { Store } from '@throughline/store'
import { placeAfterWaiting } from '../runs/place-message.ts'
import type { Submission } from '../runs/submission.ts'
import type { NamedSubmission } from './saved-submission.ts'

/**
 * Returns a submission that waited, with its place after the run that had the chat when it came. That run may be over by
 * now: then nobody else sees that the submission waited for it. A run that was interrupted by a message does not count. It
 * does if it came to its own end before. One that goes on is looked at when it ends.
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
