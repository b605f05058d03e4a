import { serverFetch } from './server-fetch.ts'

/** The way of a chat to the server. A developer can cut it, to see that the chat comes back. */
export interface CuttableFetch {
  readonly fetch: typeof globalThis.fetch
  /** Ends all requests. Every further one fails until `mend`, as if the network was gone. */
  cut(): void
  /** Lets requests through again, and wakes those who wait for the network. */
  mend(): void
  isCut(): boolean
  /** Calls the listener when `isCut` has changed. Returns a function that ends this. */
  subscribe(listener: () => void): () => void
}

export function createCuttableFetch(): CuttableFetch {
  const listeners = new Set<() => void>()
  let cutting = new AbortController()
  const tell = () => {
    for (const listener of listeners) listener()
  }
  return {
    fetch(address, init) {
      const signals = [cutting.signal, init?.signal ?? []].flat()
      return serverFetch(address, { ...init, signal: AbortSignal.any(signals) })
    },
    cut() {
      cutting.abort(new TypeError('The connection was cut in the inspector.'))
      tell()
    },
    mend() {
      if (!cutting.signal.aborted) return
      cutting = new AbortController()
      tell()
      // The chat waits for this event, too. Otherwise it would come back only at its next attempt.
      dispatchEvent(new Event('online'))
    },
    isCut: () => cutting.signal.aborted,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
