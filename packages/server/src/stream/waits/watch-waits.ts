import { type LogStore, logName, readBetween } from '@throughline/log'
import type { Chunk, Entry, Position } from '@throughline/protocol'
import type { Run, Store } from '@throughline/store'
import { isOfRun } from '../run-entries.ts'
import { type AwaitedCall, awaitedCalls, foldWaits, noWaits, type RunWaits } from './run-waits.ts'

/** Tells a viewer where a run waits for nothing but decisions and outputs from outside. */
export interface WaitWatch {
  /**
   * Takes the entries that the viewer was shown next. Returns the calls for which the run waits now. Returns nothing while
   * the run does anything else, or if the viewer can do nothing about one of the calls, or if one was settled already.
   */
  shown(entries: readonly Entry[]): Promise<readonly AwaitedCall[]>
}

/** What watching a run for a viewer needs. */
export interface WatchOptions {
  /** Where the viewer joins the run. */
  readonly after: Position
  /** Whether the viewer's form shows the call, so that the viewer can give what it waits for. */
  readonly isVisible: (call: AwaitedCall) => boolean
}

/**
 * Watches a run for a viewer. What the run is busy with follows from all of its entries. For a viewer who joined in the
 * middle, the earlier entries are read once, and only when there is something to wait for.
 */
export function watchWaits(
  { log, approvals }: Pick<Store, 'log' | 'approvals'>,
  run: Run,
  { after, isVisible }: WatchOptions,
): WaitWatch {
  const { ownerId, id } = run
  let waits = after.seq <= run.afterSeq ? noWaits : undefined
  let { seq } = after

  async function waitsAfterNext(entries: readonly Entry[]): Promise<RunWaits> {
    seq = entries.at(-1)?.seq ?? seq
    if (waits !== undefined) return waitsAfter(waits, entries, run)
    const isAsked = entries.some(({ chunk }) => isRequest(chunk))
    const isAwaited = isAsked || (entries.length === 0 && (await approvals.pending(ownerId, id)).size > 0)
    return isAwaited ? waitsAt(log, run, { epoch: after.epoch, seq }) : noWaits
  }

  return {
    async shown(entries) {
      const next = await waitsAfterNext(entries)
      if (next !== noWaits) waits = next
      const awaited = awaitedCalls(next)
      if (awaited.length === 0 || !awaited.every(isVisible)) return []
      // What settles a call is in the store a moment before it is in the log.
      const pending = await approvals.pending(ownerId, id)
      return awaited.every(call => pending.has(call.id)) ? awaited : []
    },
  }
}

/** Returns what a run was busy with at a position. */
export async function waitsAt(log: LogStore, run: Run, { epoch, seq }: Position): Promise<RunWaits> {
  const name = logName(run)
  let waits = noWaits
  for await (const page of readBetween(log, name, { after: { epoch, seq: run.afterSeq }, upTo: seq }))
    waits = waitsAfter(waits, page, run)
  return waits
}

function waitsAfter(before: RunWaits, entries: readonly Entry[], run: Run): RunWaits {
  return entries.filter(entry => isOfRun(entry, run)).reduce(foldWaits, before)
}

function isRequest({ type }: Chunk): boolean {
  return type === 'tool-approval-request' || type === 'data-output-request'
}
