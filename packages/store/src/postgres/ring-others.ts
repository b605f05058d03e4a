import type { LogName } from '@throughline/log'
import { logHash } from './followed-logs.ts'
import type { Notifications, PostgresNotification } from './notifications.ts'

/** So many hashes go into one notification: its payload has at most 7,999 bytes. */
const maxHashes = 800
/** While there is no connection, so many rings are kept. The others are lost: other processes poll. */
const maxUnsent = 10_000

/** The channel on which processes tell each other which logs have changed. */
export const logChannel = 'throughline_log'

/** Returns the hashes in a payload. */
export function hashesIn(payload: string): readonly string[] {
  return payload.split(' ')
}

/** Tells other processes which logs have changed. All changes since the last notification go into the next one. */
export class RingOthers {
  readonly #notifications: Notifications
  #unsent = new Set<string>()
  #isSending = false

  constructor(notifications: Notifications) {
    this.#notifications = notifications
    notifications.onReconnect(() => this.#send())
  }

  ring(logs: Iterable<LogName>): void {
    for (const log of logs) if (this.#unsent.size < maxUnsent) this.#unsent.add(logHash(log))
    this.#send()
  }

  #send(): void {
    if (this.#isSending || this.#unsent.size === 0) return
    const hashes = [...this.#unsent]
    this.#unsent = new Set()
    this.#isSending = true
    this.#notifications.send(notificationsOf(hashes)).then(
      () => {
        this.#isSending = false
        this.#send()
      },
      () => {
        this.#isSending = false
        // They are sent when the connection is back.
        for (const hash of hashes) if (this.#unsent.size < maxUnsent) this.#unsent.add(hash)
      },
    )
  }
}

function notificationsOf(hashes: readonly string[]): readonly PostgresNotification[] {
  return Array.from({ length: Math.ceil(hashes.length / maxHashes) }, (_, index) => {
    const payload = hashes.slice(index * maxHashes, (index + 1) * maxHashes).join(' ')
    return { channel: logChannel, payload }
  })
}
