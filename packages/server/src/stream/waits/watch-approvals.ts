import { type LogStore, logName } from '@throughline/log/log-store'
import type { Entry } from '@throughline/protocol/entry'
import type { Position } from '@throughline/protocol/position'
import type { Store } from '@throughline/store/open-store'
import type { Run } from '@throughline/store/runs'
import { pagesBetween } from '../../runs/run-log.ts'
import { isOfRun } from '../chunks/encode.ts'
import { type AwaitedApproval, awaitedApprovals, noWaits, projectWaits, type RunWaits } from './run-waits.ts'

/** Tells a viewer where a run waits for nothing but approvals. */
export interface ApprovalWatch {
  /**
   * Takes the entries that the viewer was shown next. Returns the approvals for which the run waits now, and nothing
   * while it does anything else, or waits for an approval that the viewer cannot see or that was answered already.
   */
  shown(entries: readonly Entry[]): Promise<readonly AwaitedApproval[]>
}

export interface WatchOptions {
  /** Where the viewer joins the run. */
  readonly after: Position
  /** Whether the viewer's form shows the request. */
  readonly isVisible: (approval: AwaitedApproval) => boolean
}

/**
 * What a run is busy with follows from its entries. Whoever joins in the middle has not seen them all: they are read
 * once from the run's start, and only when there is an approval to wait for.
 */
export function watchApprovals(
  { log, approvals }: Pick<Store, 'log' | 'approvals'>,
  run: Run,
  { after, isVisible }: WatchOptions,
): ApprovalWatch {
  const { ownerId, id } = run
  let waits = after.seq <= run.afterSeq ? noWaits : undefined
  let { seq } = after

  async function move(entries: readonly Entry[]): Promise<RunWaits> {
    seq = entries.at(-1)?.seq ?? seq
    if (waits !== undefined) return waitsAfter(waits, entries, run)
    const isAsked = entries.some(({ chunk }) => chunk.type === 'tool-approval-request')
    const isAwaited = isAsked || (entries.length === 0 && (await approvals.pending(ownerId, id)).size > 0)
    return isAwaited ? waitsAt(log, run, { epoch: after.epoch, seq }) : noWaits
  }

  return {
    async shown(entries) {
      const next = await move(entries)
      if (next !== noWaits) waits = next
      const awaited = awaitedApprovals(next)
      if (awaited.length === 0 || !awaited.every(isVisible)) return []
      // The log tells of an answer a moment after it was given. Until then the store knows better.
      const pending = await approvals.pending(ownerId, id)
      return awaited.every(({ approvalId }) => pending.has(approvalId)) ? awaited : []
    },
  }
}

/** What a run was busy with at a position. */
async function waitsAt(log: LogStore, run: Run, { epoch, seq }: Position): Promise<RunWaits> {
  const name = logName(run)
  let waits = noWaits
  for await (const page of pagesBetween(log, name, { after: { epoch, seq: run.afterSeq }, upTo: seq }))
    waits = waitsAfter(waits, page, run)
  return waits
}

function waitsAfter(before: RunWaits, entries: readonly Entry[], run: Run): RunWaits {
  return entries.filter(entry => isOfRun(entry, run)).reduce(projectWaits, before)
}
