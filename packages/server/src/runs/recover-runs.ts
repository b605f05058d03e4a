import type { EndStatus } from '@throughline/protocol'
import { type Run, SqlError } from '@throughline/store'
import { type ContinueOptions, continueRun, endCutOff } from './continue-run.ts'
import { setAsideDamaged } from './set-aside-run.ts'
import { untilSaved } from './until-saved.ts'

/**
 * Takes over the runs that another process left behind when it died: they go on, or end as `interrupted`. What was shown of
 * their answers is kept. A run that is damaged is set aside, so that it does not keep the others from being recovered.
 *
 * When the store fails, such as on a full disk, a run ends as `interrupted` as soon as that can be saved.
 */
export async function recoverRuns(options: ContinueOptions): Promise<void> {
  const { store, logger } = options
  const orReport = (runId: string) => (error: unknown) =>
    logger.error(
      { runId, err: error },
      'an unfinished run could not be taken over; the next start tries again',
    )
  for (const run of await store.runs.unfinished()) await recoverRun(options, run).catch(orReport(run.id))
  for (const damaged of await store.runs.damaged()) {
    await setAsideDamaged(options, damaged).catch(orReport(damaged.named.runId))
  }
}

async function recoverRun(options: ContinueOptions, run: Run): Promise<void> {
  const { logger, active } = options
  try {
    await continueRun(options, run)
  } catch (error) {
    // Any failure of the store may pass. Until then the chat is blocked.
    if (!(error instanceof SqlError)) throw error
    const isClosing = () => active.isClosing
    const ended = untilSaved(() => endAsSaved(options, run), { runId: run.id, logger, isClosing })
    active.keep({ run, stop: new AbortController(), ended, isAnswered: true })
  }
}

/** Ends a run as its row is now: the run may have been taken over before the store failed. */
async function endAsSaved(options: ContinueOptions, { ownerId, id }: Run): Promise<EndStatus | undefined> {
  const run = await options.store.runs.get(ownerId, id)
  return run?.status === 'running' ? endCutOff(options, run) : run?.status
}
