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
 * Wakes when the network is back, when the page comes back from the browser's cache, and when it is looked at again.
 * Programs and workers have fewer of these events, or none. Answers how to end it.
 */
export function wakeWithPage(waker: Pick<Waker, 'wake' | 'wakeIfSilent'>): () => void {
  const ending = new AbortController()
  const { signal } = ending
  const listen = (target: EventTarget | undefined, type: string, listener: (event: Event) => void) =>
    target?.addEventListener(type, listener, { signal })
  const page = typeof addEventListener === 'function' ? globalThis : undefined
  listen(page, 'online', () => waker.wake())
  listen(page, 'pageshow', event => {
    if ('persisted' in event && event.persisted === true) waker.wake()
  })
  const seen = typeof document === 'undefined' ? undefined : document
  listen(seen, 'visibilitychange', () => {
    if (seen?.visibilityState === 'visible') waker.wakeIfSilent()
  })
  return () => ending.abort()
}
