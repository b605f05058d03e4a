import { RunStopped } from '@throughline/agents/internal'
import { serverSentence } from '@throughline/protocol/internal'
import type { Run, StopRequester } from '@throughline/store'
import type { ActiveRun } from './active-runs.ts'
import type { RunnerOptions } from './runner-options.ts'

type StopOptions = Pick<RunnerOptions, 'store' | 'now'>

/** Returns the reason with which a run is aborted. It becomes the end of the answer. */
export function stopReason(by: StopRequester): RunStopped {
  return new RunStopped('stopped', serverSentence(by === 'user' ? 'stopped-by-user' : 'stopped-by-message'))
}

/**
 * Aborts a run of this process. The request is saved too: if the process dies before the end of the run is saved, the
 * process that takes the run over ends it in the same way. Resolves when the request is saved, or cannot be saved.
 */
export async function stopHere(options: StopOptions, active: ActiveRun, by: StopRequester): Promise<void> {
  const reason = stopReason(by)
  if (by === 'user') active.stoppedBy ??= reason
  const isFirst = !active.stop.signal.aborted
  active.stop.abort(reason)
  if (!isFirst || active.isAnswered) return
  // On a full disk the request cannot be saved, and the run is stopped all the same.
  await saveRequest(options, active.run, by).catch(() => undefined)
}

/** Asks for the end of a run of another process. */
export async function stopElsewhere(options: StopOptions, run: Run, by: StopRequester): Promise<void> {
  await saveRequest(options, run, by)
  options.store.signals.ring(run)
}

async function saveRequest({ store, now }: StopOptions, run: Run, by: StopRequester): Promise<void> {
  await store.runs.requestStop(run, { by, at: now().toISOString() })
}
