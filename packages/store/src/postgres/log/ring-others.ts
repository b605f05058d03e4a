import type { LogName } from '@throughline/log'
import type { Notifications } from '../notifications/notifications.ts'
import type { Committed } from './append-queue.ts'
import { logHash } from './followed-logs.ts'
import { hashIn, payloadsOf, recordsOf } from './ring-payload.ts'

/** At most this many records wait to be sent. The others are lost: other processes poll. */
const maxUnsent = 10_000
/** At most this many of them have an entry. The others announce that their log has changed, once for each log. */
const maxUnsentEntries = 2_000

/**
 * How many entries a process sends. Each goes to every process, whether it follows the log or not. Above this rate it is
 * cheaper when those who follow read the entries from the database, many at a time.
 */
const entryRate = { perSecond: 10_000, size: 1_000 }

/** The hashes of this many logs are kept: a process writes to the same logs again and again, and each append needs one. */
const maxHashes = 10_000

/** The channel on which processes notify each other of logs that have changed. */
export const logChannel = 'throughline_log'

/** Notifies other processes of logs that have changed. All changes since the last notification go into the next one. */
export class RingOthers {
  readonly #notifications: Pick<Notifications, 'send' | 'onReconnect'>
  readonly #entries = new TokenBucket(entryRate)
  readonly #hashes = new Map<LogName, string>()
  #unsent = new Set<string>()
  #isSending = false

  constructor(notifications: Pick<Notifications, 'send' | 'onReconnect'>) {
    this.#notifications = notifications
    notifications.onReconnect(() => this.#send())
  }

  /** Sends what was committed. If that is much, only announces which logs have changed. */
  publish(committed: readonly Committed[]): void {
    const count = committed.reduce((sum, { entries }) => sum + entries.length, 0)
    this.ring(
      this.#entries.take(count)
        ? committed.flatMap(each => recordsOf(each, log => this.#hashOf(log)))
        : committed.map(({ log }) => this.#hashOf(log)),
    )
  }

  /** Announces that a log has changed. */
  announce(log: LogName): void {
    this.ring([this.#hashOf(log)])
  }

  /** Sends records: see ring-payload.ts. */
  ring(records: Iterable<string>): void {
    for (const record of records) this.#keep(this.#unsent.size < maxUnsentEntries ? record : hashIn(record))
    this.#send()
  }

  #keep(record: string): void {
    if (this.#unsent.size < maxUnsent) this.#unsent.add(record)
  }

  #send(): void {
    if (this.#isSending || this.#unsent.size === 0) return
    const records = this.#unsent
    this.#unsent = new Set()
    this.#isSending = true
    this.#notifications.send(payloadsOf(records).map(payload => ({ channel: logChannel, payload }))).then(
      () => {
        this.#isSending = false
        this.#send()
      },
      () => {
        this.#isSending = false
        // When the connection is back, it is enough to announce which logs have changed.
        for (const record of records) this.#keep(hashIn(record))
      },
    )
  }

  #hashOf(log: LogName): string {
    const known = this.#hashes.get(log)
    if (known !== undefined) return known
    const made = logHash(log)
    if (this.#hashes.size >= maxHashes) this.#hashes.clear()
    this.#hashes.set(log, made)
    return made
  }
}

/** How fast a bucket fills, and how much it holds. */
interface TokenBucketOptions {
  readonly perSecond: number
  /** The greatest number of tokens: how many can be taken at once after a pause. */
  readonly size: number
  /** In milliseconds. Default: `performance.now`. */
  readonly now?: () => number
}

/** A token bucket: limits a rate, but lets short bursts through. At first it is full. */
export class TokenBucket {
  readonly #perMs: number
  readonly #size: number
  readonly #now: () => number
  #tokens: number
  #filledAt: number

  constructor({ perSecond, size, now = () => performance.now() }: TokenBucketOptions) {
    this.#perMs = perSecond / 1_000
    this.#size = size
    this.#now = now
    this.#tokens = size
    this.#filledAt = now()
  }

  /** Takes tokens, unless there are too few. Returns whether it took them. */
  take(count: number): boolean {
    const now = this.#now()
    this.#tokens = Math.min(this.#size, this.#tokens + (now - this.#filledAt) * this.#perMs)
    this.#filledAt = now
    if (count > this.#tokens) return false
    this.#tokens -= count
    return true
  }
}
