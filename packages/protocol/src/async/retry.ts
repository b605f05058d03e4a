import { pause } from './waits.ts'

/** When and how often `retry` tries again. */
export interface RetryOptions {
  /** The wait after the first failure, in milliseconds. Each further wait is twice as long. */
  readonly firstMs: number
  /** The longest wait, in milliseconds. */
  readonly maxMs: number
  /** After an attempt that took longer than this, in milliseconds, the next wait is the first one again. Default: never. */
  readonly restartAfterMs?: number | undefined
  /** When it aborts, the wait ends and there are no more attempts. */
  readonly signal?: AbortSignal | undefined
  /**
   * Called after each failed attempt. Returns how long to wait before the next attempt, in milliseconds: `delayMs`, or
   * another time. Returns `undefined` when there should be no more attempts. What it throws ends the retries too.
   */
  readonly onFailure: (error: unknown, delayMs: number) => number | undefined
  /** Waits. By default with a timer, and until the signal aborts. */
  readonly pause?: ((ms: number) => Promise<void>) | undefined
}

/**
 * Tries again until an attempt succeeds, and waits longer after each failure. Returns what the attempt returned, or
 * `undefined` when `onFailure` or the signal ended the retries.
 */
export async function retry<Result>(
  attempt: () => Promise<Result>,
  options: RetryOptions,
): Promise<Result | undefined> {
  const { firstMs, maxMs, restartAfterMs = Number.POSITIVE_INFINITY, signal, onFailure } = options
  const { pause: wait = ms => pause(ms, signal) } = options
  for (let delayMs = firstMs; signal?.aborted !== true; delayMs = Math.min(delayMs * 2, maxMs)) {
    const startedAt = performance.now()
    try {
      return await attempt()
    } catch (error) {
      if (performance.now() - startedAt > restartAfterMs) delayMs = firstMs
      const waitMs = onFailure(error, delayMs)
      if (waitMs === undefined) return undefined
      await wait(waitMs)
    }
  }
  return undefined
}
