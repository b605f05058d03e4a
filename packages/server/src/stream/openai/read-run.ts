import { type LogStore, logName, readBetween } from '@throughline/log'
import type { Run } from '@throughline/store'
import type { Projection } from '../run-form.ts'
import { isOfRun, isRunEnd, runPages, runStart, type ViewSignals } from '../run-pages.ts'

/** A projection that may have its end before the run has. */
interface EndingProjection extends Projection<unknown> {
  readonly hasEnded: boolean
}

/** Gives a projection the run, and waits until the projection has ended. Throws an `AbortError` when a signal ends it before. */
export async function readWholeRun<Each extends EndingProjection>(
  log: LogStore,
  run: Run,
  { projection, ...signals }: ViewSignals & { readonly projection: Each },
): Promise<Each> {
  const after = await runStart(log, run)
  for await (const page of runPages(log, run, { ...signals, after })) {
    for (const entry of page) {
      if (isOfRun(entry, run)) projection.write(entry)
      if (projection.hasEnded) return projection
    }
  }
  return projection
}

/** Gives a projection what the log has of a run now. */
export async function readRunSoFar<Each extends Projection<unknown>>(
  log: LogStore,
  run: Run,
  projection: Each,
): Promise<Each> {
  const { epoch, seq: upTo } = await log.open(logName(run))
  const after = { epoch, seq: Math.min(run.afterSeq, upTo) }
  for await (const page of readBetween(log, logName(run), { after, upTo })) {
    for (const entry of page) {
      if (isOfRun(entry, run)) projection.write(entry)
      if (isRunEnd(entry, run)) return projection
    }
  }
  return projection
}
