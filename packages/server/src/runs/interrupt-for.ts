import type { ActiveRuns } from './active-runs.ts'
import { isRunOf } from './find-run.ts'
import { ongoingRun } from './ongoing-run.ts'
import type { RunnerOptions } from './runner-options.ts'
import type { Submission } from './submission.ts'

interface InterruptOptions extends Pick<RunnerOptions, 'store' | 'now'> {
  readonly active: ActiveRuns
}

/**
 * Interrupts the run that has the chat, if a submission that waits asks for that. Others may stand before the submission
 * in the line, and they would not interrupt the run.
 *
 * The line has saved the stop together with the submission. This only stops the run at once, instead of at the next poll.
 */
export async function interruptFor(options: InterruptOptions, submission: Submission): Promise<void> {
  if (submission.onBusy !== 'interrupt') return
  const run = await options.store.runs.active(submission)
  if (run === undefined) return
  const underWay = ongoingRun(options, run)
  // The run of this submission may have begun in the meantime. That run must not be interrupted.
  if (!underWay.isAnswered && !isRunOf(underWay.run, submission)) await underWay.stop('message')
}
