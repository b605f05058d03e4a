import { type LogStore, logName, readBetween } from '@throughline/log'
import type { Entry, Position } from '@throughline/protocol'
import type { Run, Store } from '@throughline/store'
import { isOfRun } from '../run-entries.ts'
import { type AwaitedApproval, awaitedApprovals, foldWaits, noWaits, type RunWaits } from './run-waits.ts'

/** Tells a viewer where a run waits for nothing but approvals. */
export interface ApprovalWatch {
  /**
   * Takes the entries that the viewer was shown next. Returns the approvals for which the run waits now. Returns nothing
   * while the run does anything else, or if the viewer cannot see one of the approvals, or if one was decided already.
   */
  shown(entries: readonly Entry[]): Promise<readonly AwaitedApproval[]>
}

/** What watching a run for a viewer needs. */
export interface WatchOptions {
  /** Where the viewer joins the run. */
  readonly after: Position
  /** Whether the viewer's form shows the request. */
  readonly isVisible: (approval: AwaitedApproval) => boolean
}

/**
 * Watches a run for a viewer. What the run is busy with follows from all of its entries. For a viewer who joined in the
 * middle, the earlier entries are read once, and only when there is an approval to wait for.
 */
export function watchApprovals(
  { log, approvals }: Pick<Store, 'log' | 'approvals'>,
  run: Run,
  { after, isVisible }: WatchOptions,
): ApprovalWatch {
  const { ownerId, id } = run
  let waits = after.seq <= run.afterSeq ? noWaits : undefined
  let { seq } = after

  async function waitsAfterNext(entries: readonly Entry[]): Promise<RunWaits> {
    seq = entries.at(-1)?.seq ?? seq
    if (waits !== undefined) return waitsAfter(waits, entries, run)
    const isAsked = entries.some(({ chunk }) => chunk.type === 'tool-approval-request')
    const isAwaited = isAsked || (entries.length === 0 && (await approvals.pending(ownerId, id)).size > 0)
    return isAwaited ? waitsAt(log, run, { epoch: after.epoch, seq }) : noWaits
  }

  return {
    async shown(entries) {
      const next = await waitsAfterNext(entries)
      if (next !== noWaits) waits = next
      const awaited = awaitedApprovals(next)
      if (awaited.length === 0 || !awaited.every(isVisible)) return []
      // A decision is in the store a moment before it is in the log.
      const pending = await approvals.pending(ownerId, id)
      return awaited.every(({ approvalId }) => pending.has(approvalId)) ? awaited : []
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
