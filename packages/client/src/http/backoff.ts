/** How long to wait before a retry. The wait doubles with every retry. */
export interface BackoffOptions {
  /** The longest wait before the first retry, in milliseconds. Default: 300. */
  readonly firstMs?: number
  /** The longest wait before any retry, in milliseconds. Default: 15,000. */
  readonly maxMs?: number
  /** Returns a number from 0 to 1. Default: `Math.random`. */
  readonly random?: () => number
}

/**
 * Returns how long to wait before a retry, in milliseconds. `attempt` is 0 for the first retry. The wait is random,
 * between half and all of the longest one, so that many clients do not come back at the same moment.
 */
export function backoffMs(
  attempt: number,
  { firstMs = 300, maxMs = 15_000, random = Math.random }: BackoffOptions = {},
): number {
  return Math.min(maxMs, firstMs * 2 ** attempt) * (0.5 + random() / 2)
}
