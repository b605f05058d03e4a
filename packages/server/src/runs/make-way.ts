import { busyMove, type OnBusy } from './busy-move.ts'
import type { ChatViewers } from './chat-viewers.ts'
import type { OngoingRun } from './ongoing-run.ts'
import type { RunnerOptions } from './runner-options.ts'

/**
 * Waits for the end of the run that has the chat, or interrupts it, as the submission asks. Returns whether the run
 * was interrupted.
 */
export async function makeWay(
  { store }: Pick<RunnerOptions, 'store'>,
  underWay: OngoingRun,
  { onBusy, viewers }: { readonly onBusy: OnBusy; readonly viewers: ChatViewers },
): Promise<boolean> {
  const { run } = underWay
  const ended = underWay.ended()
  const move = busyMove(onBusy, {
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
 * Returns whether all viewers of a run leave before it ends. Each process knows only its own viewers. So a run of another
 * process counts as watched until its end.
 */
function isLeftBefore(
  ended: Promise<unknown>,
  viewers: ChatViewers,
  { run, isHere }: OngoingRun,
): Promise<boolean> {
  const over = ended.then(() => false)
  return isHere ? Promise.race([over, viewers.untilNobody(run).then(() => true)]) : over
}
