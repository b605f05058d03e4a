import { type LogStore, logName, readBetween } from '@throughline/log'
import type { Position } from '@throughline/protocol'
import type { Run } from '@throughline/store'
import type { Pieces } from './pieces.ts'
import type { RunForm } from './run-form.ts'
import { awaitedApprovals } from './waits/run-waits.ts'
import { waitsAt } from './waits/watch-approvals.ts'

interface WaitView {
  readonly form: RunForm
  /** Where the run waited. */
  readonly at: Position
}

/**
 * Returns how a stream ended where its run waited for approvals, as it ended then: it follows from the log, also when
 * somebody has decided since. Returns `undefined` if the run did not wait for approvals there.
 */
export async function endAtWait(
  log: LogStore,
  run: Run,
  { form, at }: WaitView,
): Promise<Pieces | undefined> {
  const { waiting } = form
  const awaited = awaitedApprovals(await waitsAt(log, run, at))
  if (waiting === undefined || awaited.length === 0) return undefined
  if (!awaited.every(approval => waiting.isVisible(approval))) return undefined
  const after = { epoch: at.epoch, seq: run.afterSeq }
  for await (const page of readBetween(log, logName(run), { after, upTo: at.seq })) {
    // The viewer has these bytes. The form has to see the entries, because its end depends on them.
    form.encode(page)
  }
  return waiting.encode(awaited)
}
