import type { Entry } from '@throughline/protocol'
import type { Run, Store } from '@throughline/store'
import { isOfRun } from '../run-entries.ts'
import type { RunForm } from '../run-form.ts'
import type { ViewSignals } from '../run-pages.ts'
import { type AtWaits, viewRun } from '../view-run.ts'
import { type QueryAnswer, QueryProjection } from './query-projection.ts'

/** What waiting for an answer needs. */
export interface AwaitOptions extends ViewSignals {
  readonly approvals: AtWaits
}

/**
 * Waits for the end of a run or, with `approvals: 'end'`, until the run waits for nothing but approvals. Returns the
 * answer as far as it has come then. Throws when a signal ends the wait earlier.
 */
export async function awaitAnswer(
  store: Pick<Store, 'log' | 'approvals'>,
  run: Run,
  options: AwaitOptions,
): Promise<QueryAnswer> {
  const projection = new QueryProjection({ run, level: 'step' })
  // A form that writes no bytes: it only collects.
  const form: RunForm = {
    readsWholeRun: true,
    encode(entries: readonly Entry[]) {
      for (const entry of entries) if (isOfRun(entry, run)) projection.write(entry)
      return []
    },
    end: [],
    waiting: { isVisible: () => true, encode: () => [] },
  }
  const view = viewRun(store, run, { ...options, form })
  while ((await view.next()).done !== true);
  return projection.answer
}
