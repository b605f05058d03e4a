import { type LogStore, logName, readBetween } from '@throughline/log'
import type { Position } from '@throughline/protocol'
import type { Run } from '@throughline/store'
import { isOfRun } from '../run-entries.ts'
import { awaitedApprovals, endsCall, foldWaits, noWaits } from './run-waits.ts'

/** Where a viewer stopped reading a run. */
export interface FoundWait {
  readonly after: Position
  /** The ids of all calls of the run that needed an approval, by the ids of the approvals. */
  readonly calls: ReadonlyMap<string, string>
}

/** What a viewer shows of a run. */
export interface SeenOfRun {
  /** The approvals whose calls have no result there. */
  readonly open: ReadonlySet<string>
  /** Whether the result of this call of the master is there. */
  readonly hasEnd: (toolCallId: string) => boolean
}

/**
 * Finds where a viewer stopped reading, from the approvals that it shows as open.
 *
 * A stream ends where the run waits for nothing but approvals, and a run never waits twice for the same ones. So that
 * position is unique. A viewer that stopped elsewhere has at least seen the requests: for that one, the position of the
 * last request is returned. Returns `undefined` when the run never asked for any of these approvals.
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
  for await (const page of readBetween(log, name, { after: { epoch, seq: run.afterSeq }, upTo })) {
    for (const entry of page) {
      if (!isOfRun(entry, run)) continue
      const { seq, chunk } = entry
      const next = foldWaits(waits, entry)
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
