import { pollMs } from './read-until.ts'

/** Resolves after two seconds, or at once when the signal aborts. The timer does not keep the process alive. */
export async function pollPause(signal?: AbortSignal): Promise<void> {
  if (signal?.aborted === true) return
  const { promise, resolve } = Promise.withResolvers<void>()
  const wake = () => resolve()
  const timer = setTimeout(wake, pollMs).unref()
  signal?.addEventListener('abort', wake)
  await promise
  clearTimeout(timer)
  signal?.removeEventListener('abort', wake)
}
