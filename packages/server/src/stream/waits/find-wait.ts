import { type LogStore, logName } from '@throughline/log/log-store'
import type { Position } from '@throughline/protocol/position'
import type { Run } from '@throughline/store/runs'
import { pagesBetween } from '../../runs/run-log.ts'
import { isOfRun } from '../chunks/encode.ts'
import { awaitedApprovals, endsCall, noWaits, projectWaits } from './run-waits.ts'

/** Where a viewer stopped reading a run. */
export interface FoundWait {
  readonly after: Position
  /** The calls that were asked for up to the log's end: their ids, by the ids of the approvals. */
  readonly calls: ReadonlyMap<string, string>
}

/** What a viewer has seen of a run. */
export interface SeenOfRun {
  /** The approvals that it shows as not carried out yet. */
  readonly open: ReadonlySet<string>
  /** Whether it shows the end of a call of the master's. */
  readonly hasEnd: (toolCallId: string) => boolean
}

/**
 * Finds where a viewer stopped reading: a stream ends where a run waits for nothing but approvals, and no run waits twice
 * for the same ones. A viewer that stopped anywhere else has at least seen the requests: it gets all that came after the
 * last of them. Returns `undefined` when the run never asked for any of these approvals.
 */
export async function findWait(
  log: LogStore,
  run: Run,
  { open, hasEnd }: SeenOfRun,
): Promise<FoundWait | undefined> {
  const name = logName(run)
  const { epoch, seq: upTo } = await log.open(name)
  const calls = new Map<string, string>()
  let waits = noWaits
  let isBehind = false
  let wait: number | undefined
  let lastRequest: number | undefined
  for await (const page of pagesBetween(log, name, { after: { epoch, seq: run.afterSeq }, upTo })) {
    for (const entry of page) {
      if (!isOfRun(entry, run)) continue
      const { seq, chunk } = entry
      const next = projectWaits(waits, entry)
      isBehind ||= endsCall(chunk) && entry.messageId === run.answerId && !hasEnd(chunk.toolCallId)
      if (next !== waits && !isBehind && wait === undefined && areSame(awaitedApprovals(next), open))
        wait = seq
      waits = next
      if (chunk.type !== 'tool-approval-request') continue
      calls.set(chunk.approvalId, chunk.toolCallId)
      if (open.has(chunk.approvalId)) lastRequest = seq
    }
  }
  const seq = wait ?? lastRequest
  return seq === undefined ? undefined : { after: { epoch, seq }, calls }
}

function areSame(awaited: readonly { readonly approvalId: string }[], open: ReadonlySet<string>): boolean {
  return awaited.length === open.size && awaited.every(({ approvalId }) => open.has(approvalId))
}
