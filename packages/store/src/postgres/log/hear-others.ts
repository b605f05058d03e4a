import type { Bells, LogName, RecentEntries } from '@throughline/log'
import type { Position } from '@throughline/protocol'
import type { Notifications } from '../notifications/notifications.ts'
import type { PatientQueries } from '../patient-queries.ts'
import type { FollowedLogs } from './followed-logs.ts'
import type { OriginSql } from './log-origin.ts'
import { entriesOf, entryFrom, type LogPage, readHeads, readTails } from './read-logs.ts'
import { logChannel } from './ring-others.ts'
import { hashIn, notificationRecords, sentEntryIn } from './ring-payload.ts'

/** The port of the log promises that a lost ring is made up for within 5 seconds. */
const defaultPollMs = 4_500
/** Of how many logs one query reads the new entries, and of how many the heads. */
const maxTails = 256
const maxHeads = 2_000

interface HearParts {
  readonly queries: PatientQueries
  readonly origin: OriginSql
  readonly notifications: Notifications
  readonly followed: FollowedLogs
  readonly recent: RecentEntries
  readonly bells: Bells
}

/**
 * Hears which logs other processes have changed, and rings their followers in this process. Before that, what these logs
 * have grown by goes into the recent entries: from the notification itself, or else from one query for all of them. So it
 * does not matter how many followers a log has.
 *
 * Notifications can get lost. So the ends of all followed logs are polled, too.
 */
export class HearOthers {
  readonly #parts: HearParts
  readonly #rung = new Set<LogName>()
  readonly #poll: NodeJS.Timeout
  #isReading = false
  #isPolling = false

  constructor(parts: HearParts, pollMs = defaultPollMs) {
    this.#parts = parts
    parts.notifications.onReconnect(() => this.#lookAt(parts.followed.names))
    this.#poll = setInterval(() => this.#pollAll(), pollMs).unref()
  }

  /** Resolves once this process hears of every change. */
  async open(): Promise<void> {
    await this.#parts.notifications.listen(logChannel, payload => this.#hear(payload))
  }

  close(): void {
    clearInterval(this.#poll)
    this.#rung.clear()
  }

  #hear(payload: string): void {
    const { followed, bells } = this.#parts
    const grown = new Set<LogName>()
    const changed = new Set<LogName>()
    for (const record of notificationRecords(payload))
      for (const log of followed.withHash(hashIn(record)))
        (this.#takeSent(log, record) ? grown : changed).add(log)
    for (const log of grown) bells.ring(log)
    this.#lookAt(changed)
  }

  /**
   * Keeps the entry of a record, if it is the next one of the log. Returns false when the database must be asked: the record
   * has no entry, or entries before it are missing here, or the log is another one with the same hash.
   */
  #takeSent(log: LogName, record: string): boolean {
    const { followed, recent } = this.#parts
    const sent = sentEntryIn(record)
    const known = followed.extentOf(log)
    if (sent === undefined || sent.epoch !== known?.epoch) return false
    if (sent.seq <= known.seq) return true
    if (sent.seq !== known.seq + 1) return false
    try {
      const entry = entryFrom(sent.row, { log, seq: sent.seq })
      recent.add({ log, head: sent }, [entry], record.length)
      followed.learn(log, { ...known, seq: sent.seq })
      return true
    } catch {
      // The entry is damaged. The database has the one that counts.
      return false
    }
  }

  /** Reads what has changed in some logs, and rings their followers. */
  #lookAt(logs: Iterable<LogName>): void {
    for (const log of logs) this.#rung.add(log)
    if (this.#isReading || this.#rung.size === 0) return
    this.#isReading = true
    this.#readRung().finally(() => {
      this.#isReading = false
    })
  }

  async #readRung(): Promise<void> {
    const { queries, followed, bells } = this.#parts
    while (this.#rung.size > 0) {
      const logs = [...this.#rung].slice(0, maxTails)
      for (const log of logs) this.#rung.delete(log)
      const ends = new Map<LogName, Position>()
      for (const log of logs) {
        const extent = followed.extentOf(log)
        if (extent !== undefined) ends.set(log, extent)
      }
      try {
        const tails = ends.size === 0 ? new Map<LogName, LogPage>() : await readTails(queries, ends)
        for (const [log, tail] of tails) this.#take(log, tail, ends.get(log)?.seq ?? 0)
      } catch {
        // The followers read by themselves, and report what is wrong.
        for (const log of logs) followed.forget(log)
      }
      for (const log of logs) bells.ring(log)
    }
  }

  /** Keeps what a log has grown by since the entry `after`. */
  #take(log: LogName, tail: LogPage, after: number): void {
    const { followed, recent } = this.#parts
    const { head } = tail
    const known = followed.extentOf(log)
    if (known === undefined) return
    if (head?.epoch !== known.epoch) {
      followed.forget(log)
      recent.forget(log)
      return
    }
    const entries = entriesOf(tail, { log, after }).filter(({ seq }) => seq > known.seq)
    const chars = tail.rows.reduce((sum, row) => sum + String(row['chunk']).length, 0)
    if (entries[0]?.seq === known.seq + 1) recent.add({ log, head }, entries, chars)
    followed.learn(log, head)
  }

  #pollAll(): void {
    const { notifications, followed } = this.#parts
    notifications.check()
    if (this.#isPolling) return
    this.#isPolling = true
    this.#findChanged(followed.names)
      .then(changed => this.#lookAt(changed))
      // The database is away. The next poll comes soon.
      .catch(() => undefined)
      .finally(() => {
        this.#isPolling = false
      })
  }

  /** Returns the logs whose heads are not those that are known. */
  async #findChanged(logs: readonly LogName[]): Promise<readonly LogName[]> {
    const { queries, followed, origin } = this.#parts
    const changed: LogName[] = []
    for (let start = 0; start < logs.length; start += maxHeads) {
      const some = logs.slice(start, start + maxHeads)
      const heads = await readHeads(queries, some, origin)
      for (const log of some) {
        const [head, known] = [heads.get(log), followed.extentOf(log)]
        const isSame =
          head?.epoch === known?.epoch && head?.seq === known?.seq && head?.trimmed === known?.trimmed
        if (!isSame) changed.push(log)
      }
    }
    return changed
  }
}
