import { RunStopped } from '@throughline/agents/run/run-stopped'
import type { Run } from '@throughline/store/runs'
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
 * Resolves when a run that is in a message's way has ended. Interrupts it when that is what the message asks for, and
 * returns whether it did.
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
  // A client's leaving may be noticed after its next message has come: then the message waits until it is.
  const isUnwanted =
    move === 'interrupt' || (move === 'wait-while-viewed' && (await isLeftBefore(ended, viewers, run)))
  // Viewers also leave because the answer is whole. Then it is only being saved, and nothing can interrupt it.
  const isInterrupted = isUnwanted && !active.isAnswered
  if (isInterrupted) stop.abort(interruptedByMessage())
  await ended
  return isInterrupted
}

/** Whether everybody who watches a run leaves before it ends. */
function isLeftBefore(ended: Promise<unknown>, viewers: ChatViewers, run: Run): Promise<boolean> {
  const left = viewers.untilNobody(run)
  return Promise.race([ended.then(() => false), left.then(() => true)])
}

export function interruptedByMessage(): RunStopped {
  return new RunStopped('stopped', 'Interrupted by a new message.')
}
