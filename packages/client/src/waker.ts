/** How long a connection may have been silent when the page is looked at again. The server speaks every 15 s. */
const trustedSilenceMs = 20_000

/** Cuts short what waits or may be dead: a pause before the next attempt, a connection that has heard nothing. */
export class Waker {
  #waking = new AbortController()
  #heardAt = 0
  readonly #now: () => number

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  /** Aborts at the next wake-up. */
  get signal(): AbortSignal {
    return this.#waking.signal
  }

  /** Something came, so the connection is alive. */
  heard(): void {
    this.#heardAt = this.#now()
  }

  wake(): void {
    const waking = this.#waking
    this.#waking = new AbortController()
    waking.abort()
  }

  /** Wakes, unless something was heard a moment ago. */
  wakeIfSilent(): void {
    if (this.#now() - this.#heardAt > trustedSilenceMs) this.wake()
  }
}

/**
 * Wakes when the network is back, when the page comes back from the browser's cache, and when it is looked at again,
 * until the signal aborts. Programs and workers have fewer of these events, or none.
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
