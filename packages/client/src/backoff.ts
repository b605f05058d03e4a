export interface BackoffOptions {
  readonly firstMs?: number
  readonly maxMs?: number
  readonly random?: () => number
}

/** How long to wait before the n-th retry (from 0): doubling, capped, and spread so that clients do not come back as one. */
export function backoffMs(
  attempt: number,
  { firstMs = 300, maxMs = 15_000, random = Math.random }: BackoffOptions = {},
): number {
  return Math.min(maxMs, firstMs * 2 ** attempt) * (0.5 + random() / 2)
}

/** Waits, or until the signal aborts. Never rejects. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  const { promise, resolve } = Promise.withResolvers<unknown>()
  const timer = setTimeout(resolve, ms)
  signal.addEventListener('abort', resolve)
  await promise
  clearTimeout(timer)
  signal.removeEventListener('abort', resolve)
}
