/**
 * Returns a `fetch` for clients that give a silent connection up after a short time. A slow machine may be silent for
 * longer than that, and then the client would never get anything. So a request that the client gives up is aborted a
 * bit later: 5 ms at first, and twice as long every time. A connection that is really dead is still given up.
 *
 * `isGivenUp` tells whether the reason of an abort is silence. All other aborts are passed on at once.
 */
export function patientFetch(isGivenUp: (reason: unknown) => boolean): typeof globalThis.fetch {
  let delayMs = 5
  return (input, init) => {
    const signal = init?.signal
    if (signal == null) return fetch(input, init)
    const aborting = new AbortController()
    const abort = () => {
      if (!isGivenUp(signal.reason)) return aborting.abort(signal.reason)
      setTimeout(() => aborting.abort(signal.reason), delayMs)
      delayMs *= 2
    }
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
    return fetch(input, { ...init, signal: aborting.signal })
  }
}
