import { WebAccessError } from './web-access-error.ts'

/** A signal that ends work after a time or with another signal. Its reason is the error to throw. */
export type Deadline = Disposable & { readonly signal: AbortSignal }

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
    // The outer signal may live for hours, so nothing of ours stays on it.
    [Symbol.dispose]() {
      clearTimeout(timer)
      outer?.removeEventListener('abort', onAbort)
    },
  }
}
