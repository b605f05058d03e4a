import { hash } from 'node:crypto'
import type { LogExtent, LogName } from '@throughline/log'

/** A short name for a log in notifications. Two logs may share one; then both are looked at. */
export function logHash(log: LogName): string {
  return hash('sha1', log, 'base64url').slice(0, 8)
}

interface Followed {
  readonly hash: string
  followers: number
  extent: LogExtent | undefined
}

/**
 * The logs that somebody in this process follows, and what is known of their ends. Followers that wait at the end of a
 * log then cost no queries. What is known may be a little old. A follower is rung when that changes.
 */
export class FollowedLogs {
  readonly #logs = new Map<LogName, Followed>()
  readonly #byHash = new Map<string, Set<LogName>>()

  get names(): readonly LogName[] {
    return [...this.#logs.keys()]
  }

  /** Adds a follower. Returns a function that takes it away again. */
  follow(log: LogName): () => void {
    const followed = this.#logs.get(log) ?? { hash: logHash(log), followers: 0, extent: undefined }
    followed.followers += 1
    this.#logs.set(log, followed)
    this.#byHash.set(followed.hash, (this.#byHash.get(followed.hash) ?? new Set()).add(log))
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      followed.followers -= 1
      if (followed.followers === 0) this.#drop(log, followed)
    }
  }

  /** Returns the followed logs with this hash. */
  withHash(hash: string): Iterable<LogName> {
    return this.#byHash.get(hash) ?? []
  }

  /** Returns what is known of a followed log. */
  extentOf(log: LogName): LogExtent | undefined {
    return this.#logs.get(log)?.extent
  }

  /**
   * Notes what was read of a log. Logs only grow, so the larger numbers are the newer ones. Another epoch is not noted:
   * first the followers must be rung, and what is known must be forgotten.
   */
  learn(log: LogName, { epoch, seq, trimmed }: LogExtent): void {
    const followed = this.#logs.get(log)
    const known = followed?.extent ?? { epoch, seq, trimmed }
    if (followed === undefined || known.epoch !== epoch) return
    followed.extent = { epoch, seq: Math.max(seq, known.seq), trimmed: Math.max(trimmed, known.trimmed) }
  }

  /** Forgets what is known of a log. Its followers stay. */
  forget(log: LogName): void {
    const followed = this.#logs.get(log)
    if (followed !== undefined) followed.extent = undefined
  }

  #drop(log: LogName, { hash }: Followed): void {
    this.#logs.delete(log)
    const sharing = this.#byHash.get(hash)
    sharing?.delete(log)
    if (sharing?.size === 0) this.#byHash.delete(hash)
  }
}
