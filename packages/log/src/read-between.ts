import type { Entry, Position } from '@throughline/protocol'
import type { LogName, LogStore } from './log-store.ts'

/** A range of a log: the entries after a position, up to the entry with the number `upTo`, which is included. */
export interface LogRange {
  readonly after: Position
  readonly upTo: number
}

const pageSize = 512

/**
 * Reads a range of a log, page by page. Does not wait for entries that are not written yet; for that, use `follow`.
 * Throws a `LogError` with the code `unknown-position` when the log does not have the position.
 */
export async function* readBetween(
  store: Pick<LogStore, 'read'>,
  log: LogName,
  { after, upTo }: LogRange,
): AsyncGenerator<readonly Entry[], void, undefined> {
  for (let { seq } = after; seq < upTo; ) {
    const page = await store.read(log, { epoch: after.epoch, seq }, Math.min(pageSize, upTo - seq))
    const last = page.at(-1)
    if (last === undefined) return
    yield page
    seq = last.seq
  }
}
