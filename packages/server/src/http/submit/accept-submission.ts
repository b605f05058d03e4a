import { formatPosition, type MessageId, type RunId } from '@throughline/protocol'
import { hasAnswer, type Run } from '@throughline/store'
import type { Submission } from '../../admission/submission.ts'
import { runBeginning } from '../../stream/run-pages.ts'
import type { Services } from '../request/context.ts'

/** What somebody needs to know to follow a run that they started. */
export interface AcceptedRun {
  readonly runId: RunId
  /** The id of the user's message. */
  readonly messageId: MessageId
  /** The id that the answer has. `undefined` for a message to a person, which gets no answer. */
  readonly responseMessageId: MessageId | undefined
  /** A reader that follows the log from here gets the run from its first entry. */
  readonly position: string
}

/** What somebody is told whose message waits in the queue of its chat. */
export interface QueuedSubmission {
  readonly messageId: MessageId
  readonly isQueued: true
}

/** Starts the run of a submission, or finds the run that an equal submission has started before. */
export async function acceptSubmission(
  { runner, store }: Pick<Services, 'runner' | 'store'>,
  submission: Submission,
): Promise<AcceptedRun> {
  return acceptedRun(store, await runner.submit(submission))
}

/**
 * As `acceptSubmission`, but does not wait for the turn of a message whose chat is busy. Such a message is saved, and its
 * run comes later.
 */
export async function acceptOrQueue(
  { runner, store }: Pick<Services, 'runner' | 'store'>,
  submission: Submission,
): Promise<AcceptedRun | QueuedSubmission> {
  const run = await runner.submitOrQueue(submission)
  return run === 'waits' ? { messageId: submission.message.id, isQueued: true } : acceptedRun(store, run)
}

async function acceptedRun({ log }: Services['store'], run: Run): Promise<AcceptedRun> {
  return {
    runId: run.id,
    messageId: run.userMessageId,
    responseMessageId: hasAnswer(run) ? run.answerId : undefined,
    position: formatPosition(await runBeginning(log, run)),
  }
}
