import type { EndStatus } from '@throughline/protocol'
import type { Run } from '@throughline/store'
import type { ActiveRuns } from './active-runs.ts'
import { endLeftRun } from './give-up-run.ts'
import { isStoreDown } from './is-damage.ts'
import type { RunnerOptions } from './runner-options.ts'
import { setAsideDamaged, setAsideRun } from './set-aside-run.ts'
import { untilSaved } from './until-saved.ts'

interface RecoveryOptions extends Pick<RunnerOptions, 'store' | 'agents' | 'now' | 'logger'> {
  readonly active: ActiveRuns
}

/**
 * Ends the runs that another process left behind when it died. What was shown of their answers is kept. No agent is run
 * again. A run that is damaged is set aside, so that it does not keep the others from being recovered.
 *
 * When the store cannot be written, such as on a full disk, the run stays active until its end can be saved.
 */
export async function recoverRuns(options: RecoveryOptions): Promise<void> {
  const { store, logger } = options
  const orReport = (runId: string) => (error: unknown) =>
    logger.error({ runId, err: error }, 'an unfinished run could not be ended; the next start tries again')
  for (const run of await store.runs.unfinished()) await recoverRun(options, run).catch(orReport(run.id))
  for (const damaged of await store.runs.damaged()) {
    await setAsideDamaged(options, damaged).catch(orReport(damaged.named.runId))
  }
}

/** The same for one run. Throws when the run could not be ended. */
export async function recoverRun(options: RecoveryOptions, run: Run): Promise<void> {
  const { logger, active } = options
  try {
    await endCutOff(options, run)
  } catch (error) {
    if (!isStoreDown(error)) throw error
    const isClosing = () => active.isClosing
    const ended = untilSaved(() => endCutOff(options, run), { runId: run.id, logger, isClosing })
    active.keep({ run, stop: new AbortController(), ended, isAnswered: true })
  }
}

async function endCutOff(options: RecoveryOptions, run: Run): Promise<EndStatus | undefined> {
  try {
    await endLeftRun(options, run, { status: 'interrupted', text: 'The server was restarted.' })
    options.logger.warn({ runId: run.id, chatId: run.chatId }, 'ended a run that had been cut off')
  } catch (error) {
    if (isStoreDown(error)) throw error
    await setAsideRun(options, run, error)
  }
  return 'interrupted'
}
