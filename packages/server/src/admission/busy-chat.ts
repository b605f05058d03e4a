import type { ActiveRuns } from '../engine/active-runs.ts'
import type { RunnerOptions } from '../engine/runner-options.ts'
import { type OngoingRun, ongoingRun } from '../stopping/ongoing-run.ts'
import type { ChatViewers } from '../stream/chat-viewers.ts'
import { isRunOf } from './find-run.ts'
import type { BusyRule, Submission } from './submission.ts'

/** The run that keeps a chat busy. */
export interface RunInTheWay {
  /** A call of the run waits for a person's decision. */
  readonly isAsking: boolean
  /** The chat is in a channel. The person there is watching, and nobody can see whether they have left. */
  readonly isInChannel: boolean
}

/** Returns what happens to the run that has the chat. Pure. */
export function moveFor(
  onBusy: BusyRule,
  { isAsking, isInChannel }: RunInTheWay,
): 'interrupt' | 'wait' | 'wait-while-viewed' {
  switch (onBusy) {
    // A submission with `reject` gets here only when the other answer is complete and about to be saved.
    case 'reject':
    case 'queue':
      return 'wait'
    case 'interrupt':
      return 'interrupt'
    case 'interrupt-unviewed':
      // A person who writes a message instead of deciding does not want the call any more.
      if (isAsking) return 'interrupt'
      return isInChannel ? 'wait' : 'wait-while-viewed'
  }
}

/**
 * Waits for the end of the run that has the chat, or interrupts it, as the submission asks. Returns whether the run
 * was interrupted.
 */
export async function waitOrInterrupt(
  { store }: Pick<RunnerOptions, 'store'>,
  underWay: OngoingRun,
  { onBusy, viewers }: { readonly onBusy: BusyRule; readonly viewers: ChatViewers },
): Promise<boolean> {
  const { run } = underWay
  const ended = underWay.ended()
  const move = moveFor(onBusy, {
    isAsking: (await store.approvals.pending(run.ownerId, run.id)).size > 0,
    isInChannel: (await store.channelChats.get(run)) !== undefined,
  })
  // The server may notice that a client has left only after the client's next message has come. Then the message
  // waits for that.
  const isUnwanted =
    move === 'interrupt' || (move === 'wait-while-viewed' && (await isLeftBefore(ended, viewers, underWay)))
  // Viewers also leave when the answer is complete. Then the run is only being saved, and is not interrupted any
  // more.
  const isInterrupted = isUnwanted && !underWay.isAnswered
  if (isInterrupted) await underWay.stop('message')
  const status = await ended
  // A run of another process may have come to its own end before the request reached it.
  return isInterrupted && (underWay.isHere || status === 'stopped')
}

/**
 * Returns whether all viewers of a run, or the one that asked for it, leave before it ends. Each process knows only its own
 * viewers. So a run of another process counts as watched until its end.
 */
function isLeftBefore(
  ended: Promise<unknown>,
  viewers: ChatViewers,
  { run, isHere }: OngoingRun,
): Promise<boolean> {
  const over = ended.then(() => false)
  return isHere ? Promise.race([over, viewers.untilUnwanted(run).then(() => true)]) : over
}

interface InterruptOptions extends Pick<RunnerOptions, 'store' | 'now'> {
  readonly active: ActiveRuns
}

/**
 * Interrupts the run that has the chat, if a submission that waits asks for that. Others may stand before the submission
 * in the queue, and they would not interrupt the run.
 *
 * The queue has saved the stop together with the submission. This only stops the run at once, instead of at the next poll.
 */
export async function interruptFor(options: InterruptOptions, submission: Submission): Promise<void> {
  if (submission.onBusy !== 'interrupt') return
  const run = await options.store.runs.active(submission)
  if (run === undefined) return
  const underWay = ongoingRun(options, run)
  // The run of this submission may have begun in the meantime. That run must not be interrupted.
  if (!underWay.isAnswered && !isRunOf(underWay.run, submission)) await underWay.stop('message')
}
