import { follow } from '@throughline/log/follow'
import { type LogStore, logName } from '@throughline/log/log-store'
import type { Entry } from '@throughline/protocol/entry'
import type { Position } from '@throughline/protocol/position'
import type { Run } from '@throughline/store/runs'
import { pagesBetween } from '../runs/run-log.ts'
import { isRunEnd } from './chunks/encode.ts'

/** What can end a view before it comes to its own end. */
export interface ViewSignals {
  /** The viewer has left: the view ends at once. */
  readonly signal: AbortSignal
  /** The server goes down: the view ends after it has shown every entry that the log has by then. */
  readonly closing: AbortSignal
}

export interface RunPagesOptions extends ViewSignals {
  readonly after: Position
}

/**
 * The log from a position to the last entry of a run, in pages; entries of others may be among them. Throws when a
 * signal ends it before that entry.
 */
export async function* runPages(
  log: LogStore,
  run: Run,
  options: RunPagesOptions,
): AsyncGenerator<readonly Entry[], void, undefined> {
  for await (const page of follow(log, logName(run), options)) {
    const end = page.findIndex(entry => isRunEnd(entry, run))
    yield end === -1 ? page : page.slice(0, end + 1)
    if (end !== -1) return
  }
  // A clean end would look like the end of the answer: a viewer who is still there must come back for the rest.
  throw new DOMException('The stream was cut off before the end of its run.', 'AbortError')
}

/** A position before a run's entries. The last entries of the run before it may lie in between. */
export async function runStart(log: LogStore, run: Run): Promise<Position> {
  const { epoch } = await log.open(logName(run))
  return { epoch, seq: run.afterSeq }
}

/** The position right before a run's first entry, or where that will be when there is none yet. */
export async function runBeginning(log: LogStore, run: Run): Promise<Position> {
  const name = logName(run)
  // Nobody but the run writes now: it has been claimed.
  const { epoch, seq: upTo } = await log.open(name)
  for await (const page of pagesBetween(log, name, { after: { epoch, seq: run.afterSeq }, upTo })) {
    const first = page.find(entry => entry.runId === run.id)
    if (first !== undefined) return { epoch, seq: first.seq - 1 }
  }
  return { epoch, seq: upTo }
}
