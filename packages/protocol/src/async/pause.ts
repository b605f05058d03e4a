import { createDeferred } from './deferred.ts'

/** How `pause` waits. */
export interface PauseOptions {
  /** Whether the timer keeps a process of Node alive. Default: true. In a browser, leave it out. */
  readonly ref?: boolean
}

/** Waits for some milliseconds, or until the signal aborts. Never rejects. */
export async function pause(
  ms: number,
  signal?: AbortSignal,
  { ref = true }: PauseOptions = {},
): Promise<void> {
  if (signal?.aborted === true) return
  const { promise, resolve } = createDeferred<unknown>()
  const timer = setTimeout(resolve, ms)
  if (!ref) timer.unref()
  signal?.addEventListener('abort', resolve)
  await promise
  clearTimeout(timer)
  signal?.removeEventListener('abort', resolve)
}
