import { type LogStore, logName, readBetween } from '@throughline/log'
import type { Position } from '@throughline/protocol'
import type { Run } from '@throughline/store'
import type { Pieces } from './pieces.ts'
import type { RunForm } from './run-form.ts'
import { awaitedCalls } from './waits/run-waits.ts'
import { waitsAt } from './waits/watch-waits.ts'

interface WaitView {
  readonly form: RunForm
  /** Where the run waited. */
  readonly at: Position
}

/**
 * Returns how a stream ended where its run waited for something from outside, as it ended then: it follows from the log,
 * also when that has come since. Returns `undefined` if the run did not wait there.
 */
export async function endAtWait(
  log: LogStore,
  run: Run,
  { form, at }: WaitView,
): Promise<Pieces | undefined> {
  const { waiting } = form
  const awaited = awaitedCalls(await waitsAt(log, run, at))
  if (waiting === undefined || awaited.length === 0) return undefined
  if (!awaited.every(call => waiting.isVisible(call))) return undefined
  const after = { epoch: at.epoch, seq: run.afterSeq }
  for await (const page of readBetween(log, logName(run), { after, upTo: at.seq })) {
    // The viewer has these bytes. The form has to see the entries, because its end depends on them.
    form.encode(page)
  }
  return waiting.encode(awaited)
}
