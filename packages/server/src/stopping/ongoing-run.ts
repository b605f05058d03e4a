import { RunStopped } from '@throughline/agents/internal'
import type { EndStatus } from '@throughline/protocol'
import { serverSentence, within } from '@throughline/protocol/internal'
import type { Run, StopRequester } from '@throughline/store'
import type { ActiveRun, ActiveRuns } from '../engine/active-runs.ts'
import type { RunnerOptions } from '../engine/runner-options.ts'
import { untilOver } from '../signals/read-until.ts'

/** A run that goes on, in this process or in another one. */
export interface OngoingRun {
  readonly run: Run
  readonly isHere: boolean
  /** Whether the end of the answer is in the log already. Of a run in another process this is not known: false. */
  readonly isAnswered: boolean
  /** Asks for its end. Does not wait for it. */
  stop(by: StopRequester): Promise<void>
  /**
   * Waits for its end. Returns `undefined` when the end could not be saved, when the time is over, or when this process
   * shuts down.
   */
  ended(waiting?: { readonly maxMs: number }): Promise<EndStatus | 'gone' | undefined>
}

interface FindOptions extends Pick<RunnerOptions, 'store' | 'now'> {
  readonly active: ActiveRuns
}

/** Returns the run that has a chat: the one of this process, otherwise the run that was found in the rows. */
export function ongoingRun(options: FindOptions, run: Run): OngoingRun {
  const { store, active } = options
  const here = active.of(run)
  if (here === undefined) {
    return {
      run,
      isHere: false,
      isAnswered: false,
      stop: by => stopElsewhere(options, run, by),
      ended: waiting => untilOver(store, run, { ...waiting, signal: active.over }),
    }
  }
  return {
    run: here.run,
    isHere: true,
    get isAnswered() {
      return here.isAnswered
    },
    stop: by => stopHere(options, here, by),
    ended: ({ maxMs } = { maxMs: Number.POSITIVE_INFINITY }) => within(maxMs, here.ended),
  }
}

type StopOptions = Pick<RunnerOptions, 'store' | 'now'>

/** Returns the reason with which a run is aborted. It becomes the end of the answer. */
export function stopReason(by: StopRequester): RunStopped {
  return new RunStopped('stopped', serverSentence(`stopped-by-${by}`))
}

/**
 * Aborts a run of this process. The request is saved too: if the process dies before the end of the run is saved, the
 * process that takes the run over ends it in the same way. Resolves when the request is saved, or cannot be saved.
 */
async function stopHere(options: StopOptions, active: ActiveRun, by: StopRequester): Promise<void> {
  const reason = stopReason(by)
  if (by === 'user') active.stoppedBy ??= reason
  const isFirst = !active.stop.signal.aborted
  active.stop.abort(reason)
  if (!isFirst || active.isAnswered) return
  // On a full disk the request cannot be saved, and the run is stopped all the same.
  await saveRequest(options, active.run, by).catch(() => undefined)
}

/** Asks for the end of a run of another process. */
async function stopElsewhere(options: StopOptions, run: Run, by: StopRequester): Promise<void> {
  await saveRequest(options, run, by)
  options.store.signals.ring(run)
}

async function saveRequest({ store, now }: StopOptions, run: Run, by: StopRequester): Promise<void> {
  await store.runs.requestStop(run, { by, at: now().toISOString() })
}
