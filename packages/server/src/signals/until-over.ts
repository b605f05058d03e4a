import type { EndStatus } from '@throughline/protocol'
import type { Run, Store } from '@throughline/store'
import { type Reading, readUntil } from './read-until.ts'

/**
 * Waits until a run is over, whichever process has it. Returns how it ended; `gone` when it was removed with its chat;
 * `undefined` when the time is over or the signal aborts.
 */
export function untilOver(
  { runs, signals }: Pick<Store, 'runs' | 'signals'>,
  run: Run,
  waiting: Omit<Reading<unknown>, 'read'> = {},
): Promise<EndStatus | 'gone' | undefined> {
  return readUntil(signals, run, {
    ...waiting,
    async read() {
      const { status = 'gone' } = (await runs.get(run.ownerId, run.id)) ?? {}
      return status === 'running' ? undefined : status
    },
  })
}
