import { assertWritable, type Lease, type LogName } from '@throughline/log'
import { SqlError } from '../sql.ts'
import { appendQuery, epochOf, type LogAppend, readBackQuery, writtenBy } from './append-query.ts'
import type { LogHead } from './log-rows.ts'
import { publicEpoch, storedEpoch } from './log-timeline.ts'
import type { PatientQueries } from './patient-queries.ts'
import { isConnectionLost } from './postgres-error.ts'

/** What became of an append: it is in the log, whose epoch is given, or it was refused, for a reason. */
export type AppendOutcome =
  | { readonly type: 'committed'; readonly epoch: string }
  | { readonly type: 'refused'; readonly error: unknown }

/** What committing needs. */
export interface CommitParts {
  readonly queries: PatientQueries
  readonly loadHead: (log: LogName) => Promise<LogHead | undefined>
  readonly isTimelineTracked: boolean
}

/**
 * Commits appends to different logs with one statement. Returns what became of each; never rejects. The wait for a
 * server that is away counts from `startedAt`, by `performance.now()`.
 */
export function commitAppends(
  parts: CommitParts,
  appends: readonly LogAppend[],
  startedAt: number,
): Promise<ReadonlyMap<LogAppend, AppendOutcome>> {
  return new Commit(parts, appends).run(startedAt)
}

/**
 * When the connection is lost, nobody knows whether the statement took effect. Then the entries are read back. Those
 * that are in the log, exactly as they were sent, are committed. The others are sent again.
 *
 * A statement of a lost connection may even take effect after the entries were read back. Then sending again fails,
 * because the numbers are taken, and the entries are read back once more.
 */
class Commit {
  readonly #parts: CommitParts
  readonly #left: Set<LogAppend>
  readonly #outcomes = new Map<LogAppend, AppendOutcome>()
  #mayBeWritten: boolean

  constructor(parts: CommitParts, appends: readonly LogAppend[], mayBeWritten = false) {
    this.#parts = parts
    this.#left = new Set(appends)
    this.#mayBeWritten = mayBeWritten
  }

  async run(startedAt: number): Promise<ReadonlyMap<LogAppend, AppendOutcome>> {
    try {
      await this.#parts.queries.patiently(() => this.#send(), startedAt)
      for (const append of this.#left) await this.#refuse(append)
    } catch (error) {
      if (this.#left.size > 1 && !isAway(error)) await this.#sendEachAlone(startedAt)
      else for (const append of this.#left) await this.#fail(append, error)
    }
    return this.#outcomes
  }

  async #send(): Promise<void> {
    if (this.#mayBeWritten) await this.#readBack()
    if (this.#left.size === 0) return
    try {
      const appends = [...this.#left]
      const rows = await this.#parts.queries.once(appendQuery(appends, this.#parts))
      for (const [append, generation] of writtenBy(appends, rows)) this.#settle(append, generation)
    } catch (error) {
      if (isConnectionLost(error)) this.#mayBeWritten = true
      throw error
    }
  }

  async #readBack(): Promise<void> {
    const rows = await this.#parts.queries.once(readBackQuery([...this.#left]))
    const found = new Map(rows.map(row => [row['epoch'], row]))
    for (const append of this.#left) {
      const row = found.get(epochOf(append))
      if (Number(row?.['count']) === append.sealed.length) this.#settle(append, String(row?.['generation']))
    }
  }

  /** Notes that an append is committed. */
  #settle(append: LogAppend, generation: string): void {
    const epoch = publicEpoch({ epoch: epochOf(append), generation })
    this.#outcomes.set(append, { type: 'committed', epoch })
    this.#left.delete(append)
  }

  /** One append has made the statement fail for all. Which one that is, shows when each is sent alone. */
  async #sendEachAlone(startedAt: number): Promise<void> {
    for (const append of this.#left) {
      const alone = await new Commit(this.#parts, [append], this.#mayBeWritten).run(startedAt)
      for (const [each, outcome] of alone) this.#outcomes.set(each, outcome)
    }
  }

  /** Finds out why the statement left an append out, or found its numbers taken. */
  async #refuse(append: LogAppend): Promise<void> {
    const { queries, loadHead } = this.#parts
    const { lease, after } = append
    try {
      if (this.#mayBeWritten) await queries.patiently(() => this.#readBack())
      if (!this.#left.has(append)) return
      assertHeld(lease, after, await loadHead(lease.log))
      throw new SqlError('failed', `Log ${lease.log}: the append after entry ${after} had no effect.`)
    } catch (error) {
      this.#outcomes.set(append, { type: 'refused', error })
    }
  }

  async #fail(append: LogAppend, error: unknown): Promise<void> {
    const isTaken = error instanceof SqlError && error.code === 'constraint'
    if (isTaken) await this.#refuse(append)
    else this.#outcomes.set(append, { type: 'refused', error })
  }
}

/**
 * Throws a `LogError` unless the lease may append after the entry with this number. A failover gives the log another
 * epoch, but the lease stays valid if the log still ends where its holder knows it to.
 */
export function assertHeld(lease: Lease, after: number, head: LogHead | undefined): void {
  const held = { ...lease, head: { ...lease.head, epoch: storedEpoch(lease.head.epoch) } }
  assertWritable(held, after, head && { ...head, epoch: storedEpoch(head.epoch) })
}

/** The server is away, or this store is closed. Sending again would not help. */
function isAway(error: unknown): boolean {
  return error instanceof SqlError && (error.code === 'unreachable' || error.code === 'closed')
}
