import { RunStopped } from '@throughline/agents/internal'
import type { Run } from '@throughline/store'
import { busyMove, type OnBusy } from './busy-move.ts'
import type { ChatViewers } from './chat-viewers.ts'
import type { RunnerOptions } from './runner-options.ts'

interface RunUnderWay {
  readonly run: Run
  readonly stop: AbortController
  readonly ended: Promise<unknown>
  readonly isAnswered: boolean
}

/**
 * Waits for the end of the run that has the chat, or interrupts it, as the submission asks. Returns whether the run
 * was interrupted.
 */
export async function makeWay(
  { store, approvals }: Pick<RunnerOptions, 'store' | 'approvals'>,
  active: RunUnderWay,
  { onBusy, viewers }: { readonly onBusy: OnBusy; readonly viewers: ChatViewers },
): Promise<boolean> {
  const { run, stop, ended } = active
  const move = busyMove(onBusy, {
    isAsking: approvals.isAsking(run),
    isInChannel: (await store.channelChats.get(run)) !== undefined,
  })
  // The server may notice that a client has left only after the client's next message has come. Then the message
  // waits for that.
  const isUnwanted =
    move === 'interrupt' || (move === 'wait-while-viewed' && (await isLeftBefore(ended, viewers, run)))
  // Viewers also leave when the answer is complete. Then the run is only being saved, and is not interrupted any
  // more.
  const isInterrupted = isUnwanted && !active.isAnswered
  if (isInterrupted) stop.abort(interruptedByMessage())
  await ended
  return isInterrupted
}

/** Returns whether all viewers of a run leave before it ends. */
function isLeftBefore(ended: Promise<unknown>, viewers: ChatViewers, run: Run): Promise<boolean> {
  const left = viewers.untilNobody(run)
  return Promise.race([ended.then(() => false), left.then(() => true)])
}

/** Returns the reason for stopping a run in favour of a new message. */
export function interruptedByMessage(): RunStopped {
  return new RunStopped('stopped', 'Interrupted by a new message.')
}
