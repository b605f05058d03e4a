import { groupBy } from '../values/group-by.ts'
import type { Death, OwnerChange, Violation } from './chat-history.ts'

/** What is known about the runs of a cluster. */
export interface Ownership {
  readonly deaths: readonly Death[]
  /** In the order in which they happened. */
  readonly changes: readonly OwnerChange[]
  /** When the entries of each run were written, in milliseconds since 1970, by run id. */
  readonly written: ReadonlyMap<string, readonly number[]>
}

export interface Takeovers {
  /** From the death of a node to the first sign that one of its runs goes on or has ended. */
  readonly takeoversMs: readonly number[]
  readonly violations: readonly Violation[]
}

/** A signal takes a moment to arrive. Until then the node may still write. */
const graceMs = 100
const maxTakeoverMs = 20_000

/**
 * D4: within 20 seconds after the death of its node, a run has its next entry or its end. When several nodes of a run die
 * one after the other, the time counts from the last death.
 */
export function checkTakeovers({ deaths, changes, written }: Ownership): Takeovers {
  const takeoversMs: number[] = []
  const violations: Violation[] = []
  for (const [runId, ofRun] of groupBy(changes, ({ runId }) => runId)) {
    const own = deaths.filter(({ node, at }) => {
      const owner = ofRun.findLast(change => change.at <= at + graceMs)
      return owner?.node === node && owner.status === 'running'
    })
    for (const [index, { node, at }] of own.entries()) {
      const sign = firstSign(at + graceMs, ofRun, written.get(runId) ?? [])
      const next = own[index + 1]
      if (next !== undefined && (sign === undefined || next.at < sign)) continue
      if (sign !== undefined) takeoversMs.push(sign - at)
      if (sign !== undefined && sign - at <= maxTakeoverMs) continue
      const taken = ofRun.find(change => change.at > at && change.node !== node)?.at
      const detail = `Run ${runId} lost its node ${node} at ${new Date(at).toISOString()}. Another node took it ${since(at, taken)}, and it went on ${since(at, sign)}.`
      violations.push({ kind: 'left-running', invariant: 'D4', chatId: ofRun[0]?.chatId ?? '', detail })
    }
  }
  return { takeoversMs, violations }
}

function since(began: number, at: number | undefined): string {
  return at === undefined ? 'never' : `after ${at - began} ms`
}

function firstSign(
  after: number,
  changes: readonly OwnerChange[],
  written: readonly number[],
): number | undefined {
  const entry = written.find(at => at > after)
  const end = changes.find(({ at, status }) => at > after && status !== 'running')?.at
  if (entry === undefined || end === undefined) return entry ?? end
  return Math.min(entry, end)
}
