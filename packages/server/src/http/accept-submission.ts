import { formatPosition, type MessageId, type RunId } from '@throughline/protocol'
import { hasAnswer } from '@throughline/store'
import type { Submission } from '../runs/submission.ts'
import { runBeginning } from '../stream/run-pages.ts'
import type { Services } from './context.ts'

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

/** Starts the run of a submission, or finds the run that an equal submission has started before. */
export async function acceptSubmission(
  { runner, store }: Pick<Services, 'runner' | 'store'>,
  submission: Submission,
): Promise<AcceptedRun> {
  const run = await runner.submit(submission)
  return {
    runId: run.id,
    messageId: run.userMessageId,
    responseMessageId: hasAnswer(run) ? run.answerId : undefined,
    position: formatPosition(await runBeginning(store.log, run)),
  }
}
