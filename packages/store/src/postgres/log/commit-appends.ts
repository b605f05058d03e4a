import { assertWritable, type Lease, type LogName } from '@throughline/log'
import { epochFrom, logOfEpoch } from '@throughline/protocol/internal'
import { SqlError } from '../../database/sql.ts'
import type { PatientQueries } from '../patient-queries.ts'
import { isConnectionLost } from '../postgres-error.ts'
import { appendQuery, epochOf, type LogAppend, readBackQuery, writtenBy } from './append-query.ts'
import type { OriginSql } from './log-origin.ts'
import { openQuery } from './log-row-queries.ts'
import type { LogHead } from './read-logs.ts'

/** What became of an append: it is in the log, whose epoch is given, or it was refused, for a reason. */
export type AppendOutcome =
  | { readonly type: 'committed'; readonly epoch: string }
  | { readonly type: 'refused'; readonly error: unknown }

/** What committing needs. */
export interface CommitParts {
  readonly queries: PatientQueries
  readonly loadHead: (log: LogName) => Promise<LogHead | undefined>
  readonly origin: OriginSql
  /** The statement that appends: see `appendSqlOn`. */
  readonly appendSql: string
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

/** So often an append is sent that other processes get in the way of: they give its log a new generation meanwhile. */
const maxRounds = 5

interface Earlier {
  readonly mayBeWritten: boolean
  /** How often the append was sent, and left out. */
  readonly rounds: number
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
  readonly #rounds: number

  constructor(parts: CommitParts, appends: readonly LogAppend[], earlier?: Earlier) {
    this.#parts = parts
    this.#left = new Set(appends)
    this.#mayBeWritten = earlier?.mayBeWritten ?? false
    this.#rounds = earlier?.rounds ?? 0
  }

  async run(startedAt: number): Promise<ReadonlyMap<LogAppend, AppendOutcome>> {
    try {
      await this.#parts.queries.patiently(() => this.#send(), startedAt)
      for (const append of this.#left) await this.#refuse(append, startedAt)
    } catch (error) {
      if (this.#left.size > 1 && !isAway(error)) await this.#sendEachAlone(startedAt)
      else for (const append of this.#left) await this.#fail(append, error, startedAt)
    }
    return this.#outcomes
  }

  async #send(): Promise<void> {
    if (this.#mayBeWritten) await this.#readBack()
    if (this.#left.size === 0) return
    try {
      const appends = [...this.#left]
      const rows = await this.#parts.queries.once(appendQuery(appends, this.#parts.appendSql))
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
    const epoch = epochFrom({ log: epochOf(append), generation })
    this.#outcomes.set(append, { type: 'committed', epoch })
    this.#left.delete(append)
  }

  /** One append has made the statement fail for all. Which one that is, shows when each is sent alone. */
  async #sendEachAlone(startedAt: number): Promise<void> {
    for (const append of this.#left) await this.#sendAlone(append, startedAt, this.#rounds)
  }

  async #sendAlone(append: LogAppend, startedAt: number, rounds: number): Promise<void> {
    const earlier = { mayBeWritten: this.#mayBeWritten, rounds }
    const alone = await new Commit(this.#parts, [append], earlier).run(startedAt)
    for (const [each, outcome] of alone) this.#outcomes.set(each, outcome)
  }

  /**
   * Finds out why the statement left an append out, or found its numbers taken. If its log needs a new generation, gives it
   * one. Another process may just have done so. Then sends the append again.
   */
  async #refuse(append: LogAppend, startedAt: number): Promise<void> {
    const { queries, loadHead, origin } = this.#parts
    const { lease, after } = append
    try {
      if (this.#mayBeWritten) await queries.patiently(() => this.#readBack())
      if (!this.#left.has(append)) return
      const head = await loadHead(lease.log)
      if (head?.isFromHere === false) await queries.runLocking(openQuery(lease.log, origin))
      else assertHeld(lease, after, head)
      const rounds = this.#rounds + 1
      if (rounds < maxRounds) return await this.#sendAlone(append, startedAt, rounds)
      throw new SqlError('failed', `Log ${lease.log}: the append after entry ${after} had no effect.`)
    } catch (error) {
      this.#outcomes.set(append, { type: 'refused', error })
    }
  }

  async #fail(append: LogAppend, error: unknown, startedAt: number): Promise<void> {
    const isTaken = error instanceof SqlError && error.code === 'constraint'
    if (isTaken) await this.#refuse(append, startedAt)
    else this.#outcomes.set(append, { type: 'refused', error })
  }
}

/**
 * Throws a `LogError` unless the lease may append after the entry with this number. A failover gives the log another
 * generation, but the lease stays valid if the log still ends where its holder knows it to.
 */
export function assertHeld(lease: Lease, after: number, head: LogHead | undefined): void {
  const held = { ...lease, head: { ...lease.head, epoch: logOfEpoch(lease.head.epoch) } }
  assertWritable(held, after, head && { ...head, epoch: logOfEpoch(head.epoch) })
}

/** The server is away, or this store is closed. Sending again would not help. */
function isAway(error: unknown): boolean {
  return error instanceof SqlError && (error.code === 'unreachable' || error.code === 'closed')
}
