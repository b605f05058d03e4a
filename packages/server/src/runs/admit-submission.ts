import type { Run } from '@throughline/store'
import type { ActiveRuns } from './active-runs.ts'
import type { ChatViewers } from './chat-viewers.ts'
import { type Claim, claimRun } from './claim-run.ts'
import { findRun, isRunOf } from './find-run.ts'
import { isOverSoon } from './is-over-soon.ts'
import { interruptedByMessage, makeWay } from './make-way.ts'
import { placeAfterWaiting } from './place-message.ts'
import { busy, shuttingDown } from './run-refusals.ts'
import type { RunnerOptions } from './runner-options.ts'
import type { Submission } from './submission.ts'

/** What admitting a submission needs. */
export interface AdmissionOptions extends Pick<RunnerOptions, 'store' | 'approvals' | 'now'> {
  readonly active: ActiveRuns
  readonly viewers: ChatViewers
}

/** The claim for a new run, or the run that an equal submission has started before. */
export type Admission = Exclude<Claim, { readonly type: 'busy' }>

/**
 * Claims the chat for a submission. If another run has the chat, waits for it, interrupts it or throws, as the
 * submission's `onBusy` says.
 */
export async function admitSubmission(options: AdmissionOptions, submitted: Submission): Promise<Admission> {
  const { store, active: activeRuns, viewers } = options
  for (let submission = submitted; ; ) {
    if (activeRuns.isClosing) throw shuttingDown()
    const claim = await claimRun(options, submission)
    if (claim.type !== 'busy') return claim
    // The other run has ended in the meantime.
    if (claim.activeRun === undefined) continue
    const active = activeRuns.of(submission)
    if (active === undefined && (await isOverSoon(claim.activeRun))) continue
    const { onBusy } = submission
    const isRefused = onBusy === 'reject' && active?.isAnswered !== true
    if (active === undefined || isRefused) throw busy(claim.activeRun)
    const isInterrupted = await makeWay(options, active, { onBusy, viewers })
    if (!isInterrupted) submission = await placeAfterWaiting(store, submission, active.run)
  }
}

/**
 * Finds the run of an equal submission that came before, for a submission that would otherwise wait in line. If there
 * is none, and the submission is to interrupt, this interrupts the run that the line waits for.
 */
export async function findOrInterrupt(
  { store, active: activeRuns }: AdmissionOptions,
  submission: Submission,
): Promise<Run | undefined> {
  const run = await findRun(store, submission)
  const active = activeRuns.of(submission)
  // Two equal submissions may have come at once, and the run of the other one may have begun during the search. That
  // run must not be interrupted.
  const isOther = active !== undefined && !isRunOf(active.run, submission)
  if (run === undefined && isOther && submission.onBusy === 'interrupt')
    active.stop.abort(interruptedByMessage())
  return run
}
