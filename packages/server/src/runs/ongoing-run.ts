import type { EndStatus } from '@throughline/protocol'
import type { Run, StopRequester } from '@throughline/store'
import { untilOver } from '../signals/until-over.ts'
import type { ActiveRuns } from './active-runs.ts'
import type { RunnerOptions } from './runner-options.ts'
import { stopElsewhere, stopHere } from './stop-run.ts'

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
      ended: waiting => untilOver(store, run, { ...waiting, signal: active.closing }),
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

/** Returns the value of a promise, or `undefined` when it has none after so many milliseconds. */
async function within<Value>(ms: number, promise: Promise<Value>): Promise<Value | undefined> {
  if (ms === Number.POSITIVE_INFINITY) return promise
  const { promise: late, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => resolve(undefined), ms)
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
