/**
 * The functions that one shared signal calls when it aborts.
 *
 * Thousands of followers share one signal. An `EventTarget` looks through its listeners to remove one, so thousands of
 * followers that end at once would take quadratic time. Here the signal has one listener for all functions.
 */
class AbortListeners {
  readonly #signal: AbortSignal
  readonly #functions = new Set<() => void>()

  constructor(signal: AbortSignal) {
    this.#signal = signal
  }

  add(callback: () => void): void {
    if (this.#functions.size === 0) this.#signal.addEventListener('abort', this.#callAll)
    this.#functions.add(callback)
  }

  remove(callback: () => void): void {
    this.#functions.delete(callback)
    if (this.#functions.size === 0) this.#signal.removeEventListener('abort', this.#callAll)
  }

  readonly #callAll = (): void => {
    // A Set leaves out what is removed while it is gone through.
    for (const callback of this.#functions) callback()
  }
}

const listenersOf = new WeakMap<AbortSignal, AbortListeners>()

/** Returns the functions that the signal calls when it aborts. Every caller gets the same object for one signal. */
export function abortListeners(signal: AbortSignal): AbortListeners {
  const listeners = listenersOf.get(signal) ?? new AbortListeners(signal)
  listenersOf.set(signal, listeners)
  return listeners
}
