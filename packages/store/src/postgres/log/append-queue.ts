import { entriesFrom, type Lease, type LogName, type SealedDraft } from '@throughline/log'
import type { Entry } from '@throughline/protocol'
import { CommitDelay } from '../../database/commit-delay.ts'
import type { LogAppend } from './append-query.ts'
import type { AppendOutcome } from './commit-appends.ts'

/**
 * Where the logs end that this process has the leases of, as far as it has read or committed it itself. It is a memory of
 * this process: a failover may have changed the end since.
 */
export class KnownEnds {
  readonly #ends = new WeakMap<Lease, number>()

  /** Notes that the log of a lease has an entry with this number, and none after it. */
  learn(lease: Lease, seq: number): void {
    this.#ends.set(lease, seq)
  }

  /** Returns whether the log of a lease is known to end with this number. */
  has(lease: Lease, seq: number): boolean {
    return this.#ends.get(lease) === seq
  }
}

/** How much goes to the server at a time. */
export interface AppendQueueOptions {
  /** How many statements may be under way. Default: 3. */
  readonly maxUnderWay?: number
  /** The characters of JSON in one statement. Further appends go into the next one. Default: 2 MiB. */
  readonly maxChars?: number
  /**
   * Under load, a statement begins this long after the one before it, in milliseconds, or as soon as 200 appends wait. A
   * statement costs the database much, and a further row in it little. Default: 20.
   */
  readonly commitWaitMs?: number
}

/** Entries that are in the log now. */
export interface Committed {
  readonly log: LogName
  readonly epoch: string
  readonly entries: readonly Entry[]
  readonly append: LogAppend
  /** The characters of their JSON. */
  readonly chars: number
}

interface QueueParts {
  /** Commits appends to different logs. Never rejects. */
  readonly commit: (
    appends: readonly LogAppend[],
    startedAt: number,
  ) => Promise<ReadonlyMap<LogAppend, AppendOutcome>>
  readonly ends: KnownEnds
  /** Called with what is committed, before the callers of `append` know. */
  readonly onCommitted: (committed: readonly Committed[]) => void
  /** In milliseconds since 1970. */
  readonly now: () => number
}

/** This many appends are sent without waiting for more. */
const enoughAppends = 200

/** One call of `append`. */
interface Job {
  readonly lease: Lease
  readonly after: number
  readonly sealed: readonly SealedDraft[]
  readonly chars: number
  readonly startedAt: number
  readonly result: PromiseWithResolvers<readonly Entry[]>
}

/** The jobs of one log that go into one statement: each begins where the one before it ends. */
interface Group {
  readonly append: LogAppend
  readonly jobs: readonly Job[]
}

/**
 * Collects the appends of all logs, and commits those of one turn of the event loop with one statement; under load, those of
 * a few milliseconds: see `CommitDelay`. Only a few statements are under way at once; what comes meanwhile goes into the next
 * one. The appends of one log are committed one after the other, in the order of the calls.
 */
export class AppendQueue {
  readonly #parts: QueueParts
  readonly #options: Required<AppendQueueOptions>
  readonly #waiting = new Map<LogName, Job[]>()
  /** The logs with a statement under way. */
  readonly #busy = new Set<LogName>()
  readonly #delay: CommitDelay
  #underWay = 0
  #waitingCount = 0
  #next: NodeJS.Immediate | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(parts: QueueParts, options: AppendQueueOptions = {}) {
    this.#parts = parts
    this.#options = { maxUnderWay: 3, maxChars: 2 * 1024 * 1024, commitWaitMs: 20, ...options }
    const waitMs = this.#options.commitWaitMs
    this.#delay = new CommitDelay({ waitMs, periodMs: 2 * waitMs })
  }

  /** Appends one or more drafts. */
  append(lease: Lease, after: number, sealed: readonly SealedDraft[]): Promise<readonly Entry[]> {
    const chars = sealed.reduce((sum, { json }) => sum + json.length, 0)
    const result = Promise.withResolvers<readonly Entry[]>()
    const jobs = this.#waiting.get(lease.log) ?? []
    const startedAt = performance.now()
    jobs.push({ lease, after, sealed, chars, startedAt, result })
    this.#waiting.set(lease.log, jobs)
    this.#waitingCount += 1
    this.#delay.noteAppend(startedAt)
    this.#next ??= setImmediate(() => {
      this.#next = undefined
      this.#startOrWait()
    })
    return result.promise
  }

  /** Begins the next statements, now or when more appends have come. */
  #startOrWait(): void {
    const mayStartNow = this.#waitingCount >= enoughAppends
    const waitMs = mayStartNow ? 0 : this.#delay.leftMs(performance.now())
    if (waitMs <= 0) this.#startAll()
    else this.#timer ??= setTimeout(() => this.#startAll(), waitMs)
  }

  #startAll(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    while (this.#underWay < this.#options.maxUnderWay) {
      const groups = this.#takeGroups()
      if (groups.length === 0) return
      void this.#commit(groups)
    }
  }

  async #commit(groups: readonly Group[]): Promise<void> {
    this.#underWay += 1
    this.#delay.noteCommit(performance.now())
    for (const { append } of groups) this.#busy.add(append.lease.log)
    const startedAt = earliestOf(groups)
    const outcomes = await this.#parts.commit(
      groups.map(({ append }) => append),
      startedAt,
    )
    this.#underWay -= 1
    for (const { append } of groups) {
      this.#busy.delete(append.lease.log)
      if (outcomes.get(append)?.type === 'committed')
        this.#parts.ends.learn(append.lease, append.after + append.sealed.length)
    }
    this.#startOrWait()
    this.#settle(groups, outcomes)
  }

  #settle(groups: readonly Group[], outcomes: ReadonlyMap<LogAppend, AppendOutcome>): void {
    const committed = new Map<Group, Committed>()
    for (const group of groups) {
      const outcome = outcomes.get(group.append)
      if (outcome?.type === 'committed') committed.set(group, committedBy(group, outcome.epoch))
      if (outcome?.type === 'refused') for (const { result } of group.jobs) result.reject(outcome.error)
    }
    this.#parts.onCommitted([...committed.values()])
    for (const [{ jobs }, { entries }] of committed) resolveAll(jobs, entries)
  }

  #takeGroups(): readonly Group[] {
    const groups: Group[] = []
    const at = this.#parts.now()
    let room = this.#options.maxChars
    for (const [log, jobs] of this.#waiting) {
      if (this.#busy.has(log)) continue
      const count = fittingCount(jobs, room)
      if (count === 0 && groups.length > 0) break
      const taken = jobs.splice(0, Math.max(1, count))
      this.#waitingCount -= taken.length
      if (jobs.length === 0) this.#waiting.delete(log)
      groups.push(...this.#groupOf(taken, at))
      room -= taken.reduce((sum, { chars }) => sum + chars, 0)
      if (room <= 0) break
    }
    return groups
  }

  #groupOf(jobs: readonly Job[], at: number): readonly Group[] {
    const [first] = jobs
    if (first === undefined) return []
    const { lease, after } = first
    const sealed = jobs.length === 1 ? first.sealed : jobs.flatMap(job => job.sealed)
    return [{ append: { lease, after, isEndKnown: this.#parts.ends.has(lease, after), at, sealed }, jobs }]
  }
}

/** Returns when the first of the jobs was started. */
function earliestOf(groups: readonly Group[]): number {
  let earliest = performance.now()
  for (const { jobs } of groups) earliest = Math.min(earliest, jobs[0]?.startedAt ?? earliest)
  return earliest
}

/** Returns how many of the first jobs fit: each must begin where the one before it ends, under the same lease. */
function fittingCount(jobs: readonly Job[], room: number): number {
  let chars = 0
  let count = 0
  for (const [index, job] of jobs.entries()) {
    const before = jobs[index - 1]
    chars += job.chars
    if (chars > room || (before !== undefined && !continues(before, job))) break
    count += 1
  }
  return count
}

function continues(before: Job, { lease, after }: Job): boolean {
  return (
    after === before.after + before.sealed.length &&
    lease.fence === before.lease.fence &&
    lease.head.epoch === before.lease.head.epoch
  )
}

function committedBy({ append, jobs }: Group, epoch: string): Committed {
  const { lease, after, at, sealed } = append
  const entries = entriesFrom(sealed, { first: after + 1, at })
  return { log: lease.log, epoch, append, entries, chars: jobs.reduce((sum, { chars }) => sum + chars, 0) }
}

function resolveAll(jobs: readonly Job[], entries: readonly Entry[]): void {
  let start = 0
  for (const { sealed, result } of jobs) {
    result.resolve(jobs.length === 1 ? entries : entries.slice(start, start + sealed.length))
    start += sealed.length
  }
}
