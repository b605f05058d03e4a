import type { ChatKey, RunId } from '@throughline/protocol'
import { hasAnswer } from '@throughline/store'
import type { ActiveRuns } from '../engine/active-runs.ts'
import type { RunnerOptions } from '../engine/runner-options.ts'
import { ongoingRun } from './ongoing-run.ts'

/**
 * What happened when a run was to be stopped.
 * - `stopped`: the run has ended, and its end is saved.
 * - `stopping`: the run was told to end, but its end is not saved yet. The disk may be full, or the run's process may be
 *   gone. The end will be saved.
 * - `already-ended`: no run goes on.
 * - `not-found`: there is no such chat.
 */
export type StopResult = 'stopped' | 'stopping' | 'already-ended' | 'not-found'

/** How long a stop waits for the end of its run to be saved. */
const maxStopMs = 1_500

interface StopOptions extends Pick<RunnerOptions, 'store' | 'now'> {
  readonly active: ActiveRuns
}

/**
 * Stops the run that has a chat, in this process or in another one. With `only`, no other run than that one is stopped.
 * Waits until the end of the run is saved, for 1.5 seconds at most.
 */
export async function stopActive(options: StopOptions, chat: ChatKey, only?: RunId): Promise<StopResult> {
  const { store, active } = options
  const run = active.of(chat)?.run ?? (await store.runs.active(chat))
  if (run === undefined) {
    const isThere = (await store.chats.get(chat)) !== undefined
    return isThere ? 'already-ended' : 'not-found'
  }
  const underWay = ongoingRun(options, run)
  const isMeant = only === undefined || underWay.run.id === only
  // A run of another process that writes no answer cannot be stopped. It ends in a moment.
  if (!isMeant || !(underWay.isHere || hasAnswer(run))) return 'already-ended'
  const asked = underWay.stop('user')
  // A run of this process is stopped, whether the request can be saved now or not.
  const [status] = await Promise.all([
    underWay.ended({ maxMs: maxStopMs }),
    underWay.isHere ? undefined : asked,
  ])
  if (status === undefined) return 'stopping'
  // The run may have come to its own end before the stop reached it.
  return status === 'stopped' ? 'stopped' : 'already-ended'
}
