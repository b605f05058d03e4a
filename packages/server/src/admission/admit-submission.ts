import type { RunStart } from '@throughline/store'
import type { ActiveRuns } from '../engine/active-runs.ts'
import type { RunnerOptions } from '../engine/runner-options.ts'
import { busy, shuttingDown } from '../refusals/run-refusals.ts'
import { ongoingRun } from '../stopping/ongoing-run.ts'
import { waitIfEnding } from '../stopping/wait-if-ending.ts'
import type { ChatViewers } from '../stream/chat-viewers.ts'
import { waitOrInterrupt } from './busy-chat.ts'
import { type Claim, claimRun } from './claim-run.ts'
import { placeAfterWaiting } from './place-message.ts'
import type { Submission } from './submission.ts'

/** What admitting a submission needs. */
export interface AdmissionOptions extends Pick<RunnerOptions, 'store' | 'now'> {
  readonly active: ActiveRuns
  readonly viewers: ChatViewers
}

/** The claim for a new run, the run that an equal submission has started before, or `gone`. */
export type Admitted = Exclude<Claim, { readonly type: 'busy' }>

/**
 * Claims the chat for a submission. If another run has the chat, in this process or in another one, waits for it,
 * interrupts it or throws, as the submission's `onBusy` says. A submission that waits in the queue names its `turn`.
 */
export async function admitSubmission(
  options: AdmissionOptions,
  submitted: Submission,
  turn?: RunStart['turn'],
): Promise<Admitted> {
  const { store, active, viewers } = options
  for (let submission = submitted; ; ) {
    if (active.over.aborted) throw shuttingDown()
    const claim = await claimRun(options, submission, turn)
    if (claim.type !== 'busy') return claim
    // The other run has ended in the meantime.
    if (claim.activeRun === undefined) continue
    const underWay = ongoingRun(options, claim.activeRun)
    if (!underWay.isHere && (await waitIfEnding(store, claim.activeRun))) continue
    const { onBusy } = submission
    if (onBusy === 'reject' && !underWay.isAnswered) throw busy(claim.activeRun)
    const isInterrupted = await waitOrInterrupt(options, underWay, { onBusy, viewers })
    if (!isInterrupted) submission = await placeAfterWaiting(store, submission, underWay.run)
  }
}
