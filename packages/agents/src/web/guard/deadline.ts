import { WebAccessError } from './web-access-error.ts'

/** A signal that stops work. Its reason is the error to throw. Dispose the deadline when the work is done. */
export type Deadline = Disposable & { readonly signal: AbortSignal }

/**
 * Returns a deadline whose signal aborts after `timeoutMs` with a `timeout` error, or when `outer` aborts with an
 * `aborted` error (both are a `WebAccessError`).
 */
export function startDeadline(timeoutMs: number, outer: AbortSignal | undefined): Deadline {
  const controller = new AbortController()
  const onAbort = () => controller.abort(new WebAccessError('aborted', 'The request was stopped.'))
  const timer = setTimeout(() => {
    const message = `The server did not answer completely within ${timeoutMs / 1000} seconds.`
    controller.abort(new WebAccessError('timeout', message))
  }, timeoutMs)
  outer?.addEventListener('abort', onAbort, { once: true })
  if (outer?.aborted) onAbort()
  return {
    signal: controller.signal,
    // The outer signal may live for hours. A listener that stayed on it would be a memory leak.
    [Symbol.dispose]() {
      clearTimeout(timer)
      outer?.removeEventListener('abort', onAbort)
    },
  }
}
