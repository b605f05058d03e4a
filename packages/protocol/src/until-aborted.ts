import { createDeferred } from './deferred.ts'

/**
 * Waits for a promise, but only until the signal aborts. Then throws the signal's reason. The work behind the promise
 * is not stopped; what becomes of it is ignored.
 */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, resolve } = createDeferred<never>()
  const stop = () => resolve(Promise.reject(signal.reason))
  signal.addEventListener('abort', stop)
  if (signal.aborted) stop()
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
