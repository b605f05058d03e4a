/**
 * Returns how long a test waits for something before it says what it sees instead, in milliseconds: less than the limit of the
 * test itself, which says nothing. `timeLimits` of scripts/test-groups.ts sets it; outside of `npm test` it is a minute.
 */
export function waitLimitMs(): number {
  return Number(process.env['TEST_WAIT_MS'] ?? 60_000)
}

// Taken before a test puts its own timers in their place: a wait is over when real time is.
const { setTimeout, clearTimeout } = globalThis
const now = performance.now.bind(performance)

/** The timers of the machine, also while a test has its own. */
export const realTime = {
  now,
  pause: (ms: number): Promise<void> => new Promise(resolve => void setTimeout(resolve, ms)),
  /** Calls back after a time. Returns a function that ends this. */
  after(ms: number, callBack: () => void): () => void {
    const timeout = setTimeout(callBack, ms)
    return () => clearTimeout(timeout)
  },
}
