import type { Committed } from './append-queue.ts'
import type { Notifications } from './notifications.ts'
import { changedLine, hashIn, linesOf, payloadsOf } from './ring-payload.ts'
import { ToldRate } from './told-rate.ts'

/** While notifications wait, so many lines are kept. The others are lost: other processes poll. */
const maxUnsent = 10_000
/** Only so many of them tell an entry. The others say that their log has changed, once for each log. */
const maxTold = 2_000

/** The channel on which processes tell each other which logs have changed. */
export const logChannel = 'throughline_log'

/** Tells other processes which logs have changed, and how. All changes since the last notification go into the next one. */
export class RingOthers {
  readonly #notifications: Pick<Notifications, 'send' | 'onReconnect'>
  readonly #rate = new ToldRate()
  #unsent = new Set<string>()
  #isSending = false

  constructor(notifications: Pick<Notifications, 'send' | 'onReconnect'>) {
    this.#notifications = notifications
    notifications.onReconnect(() => this.#send())
  }

  /** Tells what was committed; only which logs have changed, if that is much. */
  tell(committed: readonly Committed[]): void {
    const count = committed.reduce((sum, { entries }) => sum + entries.length, 0)
    this.ring(this.#rate.take(count) ? linesOf(committed) : committed.map(({ log }) => changedLine(log)))
  }

  /** Sends lines: see ring-payload.ts. */
  ring(lines: Iterable<string>): void {
    for (const line of lines) this.#keep(this.#unsent.size < maxTold ? line : hashIn(line))
    this.#send()
  }

  #keep(line: string): void {
    if (this.#unsent.size < maxUnsent) this.#unsent.add(line)
  }

  #send(): void {
    if (this.#isSending || this.#unsent.size === 0) return
    const lines = this.#unsent
    this.#unsent = new Set()
    this.#isSending = true
    this.#notifications.send(payloadsOf(lines).map(payload => ({ channel: logChannel, payload }))).then(
      () => {
        this.#isSending = false
        this.#send()
      },
      () => {
        this.#isSending = false
        // When the connection is back, it is enough to say which logs have changed.
        for (const line of lines) this.#keep(hashIn(line))
      },
    )
  }
}
