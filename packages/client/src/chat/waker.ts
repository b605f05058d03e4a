/**
 * When a person comes back to the page, a connection that was silent for longer than this counts as dead. The server
 * sends a heartbeat every 15 seconds.
 */
const trustedSilenceMs = 20_000

/** Ends a pause before the next attempt, or a connection that may be dead, so that a new attempt begins at once. */
export class Waker {
  #waking = new AbortController()
  #heardAt = 0
  readonly #now: () => number

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  /** Aborts at the next wake-up. After that, there is a new signal. */
  get signal(): AbortSignal {
    return this.#waking.signal
  }

  /** Call this when anything was received: the connection is alive. */
  heard(): void {
    this.#heardAt = this.#now()
  }

  /** Aborts the signal, and with it everything that waits. */
  wake(): void {
    const waking = this.#waking
    this.#waking = new AbortController()
    waking.abort()
  }

  /** Wakes, unless something was received in the last 20 seconds. */
  wakeIfSilent(): void {
    if (this.#now() - this.#heardAt > trustedSilenceMs) this.wake()
  }
}

/**
 * Wakes when the network is back, when the page comes back from the browser's cache, and when a person comes back to
 * the page, until the signal aborts. Workers and programs without a page have only some of these events, or none.
 */
export function wakeWithPage(waker: Pick<Waker, 'wake' | 'wakeIfSilent'>, signal: AbortSignal): void {
  const { addEventListener, document } = globalThis
  addEventListener?.('online', () => waker.wake(), { signal })
  addEventListener?.('pageshow', event => event.persisted && waker.wake(), { signal })
  document?.addEventListener(
    'visibilitychange',
    () => document.visibilityState === 'visible' && waker.wakeIfSilent(),
    { signal },
  )
}
