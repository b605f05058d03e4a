import { type LogStore, logName, readBetween } from '@throughline/log'
import { outputRequestIn, type Position } from '@throughline/protocol'
import type { Run } from '@throughline/store'
import { isOfRun } from './run-pages.ts'
import { type AwaitedCall, awaitedCalls, endsCall, foldWaits, noWaits } from './run-waits.ts'

/** Where a viewer stopped reading a run. */
export interface FoundWait {
  readonly after: Position
  /** The ids of all calls of the run that needed an approval, by the ids of the approvals. */
  readonly calls: ReadonlyMap<string, string>
  /** The ids of the requests for outputs, by the ids of their calls. */
  readonly outputs: ReadonlyMap<string, string>
}

/** What a viewer shows of a run. */
export interface SeenOfRun {
  /** The ids of the requests whose calls have no result there. */
  readonly open: ReadonlySet<string>
  /** Whether the call of any agent is there, in whatever state. */
  readonly hasCall: (messageId: string, toolCallId: string) => boolean
  /** Whether the result of this call of the master is there. */
  readonly hasEnd: (toolCallId: string) => boolean
}

/**
 * Finds where a viewer stopped reading, from the approvals that it shows as open, and from the calls that it shows.
 *
 * A stream ends where the run waits for nothing but decisions and outputs from outside. A run never waits twice for the
 * same approvals, so they make that position unique. A viewer shows the output that it gives at once, so of calls that wait
 * for their outputs the last ones that it shows count. A viewer that stopped elsewhere has at least seen the requests: for
 * that one, the position of the last request is returned. Returns `undefined` when the run never asked for any of these.
 */
export async function findWait(log: LogStore, run: Run, seen: SeenOfRun): Promise<FoundWait | undefined> {
  const name = logName(run)
  const { epoch, seq: upTo } = await log.open(name)
  const calls = new Map<string, string>()
  const outputs = new Map<string, string>()
  let waits = noWaits
  let isBehind = false
  let wait: { readonly seq: number; readonly awaited: readonly AwaitedCall[] } | undefined
  let lastRequest: number | undefined
  for await (const page of readBetween(log, name, { after: { epoch, seq: run.afterSeq }, upTo })) {
    for (const entry of page) {
      if (!isOfRun(entry, run)) continue
      const { seq, chunk, messageId } = entry
      const next = foldWaits(waits, entry)
      isBehind ||= endsCall(chunk) && messageId === run.answerId && !seen.hasEnd(chunk.toolCallId)
      const awaited = next === waits ? [] : awaitedCalls(next)
      // A run that goes on after a crash waits for the same calls again. The stream ended at the first time.
      if (!isBehind && isSeen(awaited, seen) && !isSame(awaited, wait?.awaited)) wait = { seq, awaited }
      waits = next
      if (chunk.type === 'tool-approval-request') {
        calls.set(chunk.approvalId, chunk.toolCallId)
        if (seen.open.has(chunk.approvalId)) lastRequest = seq
      }
      const request = outputRequestIn(chunk)
      if (request === undefined) continue
      outputs.set(request.toolCallId, request.requestId)
      if (seen.open.has(request.requestId) || seen.hasCall(messageId, request.toolCallId)) lastRequest = seq
    }
  }
  const seq = wait?.seq ?? lastRequest
  return seq === undefined ? undefined : { after: { epoch, seq }, calls, outputs }
}

/** Whether the viewer shows exactly these calls as open. It shows an output that it gives, and not that the call is open. */
function isSeen(awaited: readonly AwaitedCall[], { open, hasCall }: SeenOfRun): boolean {
  const ids = new Set(awaited.map(({ id }) => id))
  return (
    awaited.length > 0 &&
    [...open].every(id => ids.has(id)) &&
    awaited.every(
      ({ kind, id, messageId, toolCallId }) =>
        open.has(id) || (kind === 'output' && hasCall(messageId, toolCallId)),
    )
  )
}

function isSame(one: readonly AwaitedCall[], other: readonly AwaitedCall[] = []): boolean {
  return one.length === other.length && one.every(({ id }, index) => id === other[index]?.id)
}
