/**
 * Calls a function of the page, synchronously. An error in it is the page's own: it is reported on the console, and
 * the stream goes on. The same holds when the function returns a promise that rejects.
 */
export function callBack<Arguments extends readonly unknown[]>(
  callback: ((...given: Arguments) => unknown) | undefined,
  ...given: Arguments
): void {
  // The promise rejects in both cases: when the callback throws, and when the promise that it returned rejects.
  new Promise(resolve => resolve(callback?.(...given))).catch(console.error)
}

/** The functions of a page that want to know when a store has a new snapshot. */
export class Listeners {
  readonly #all = new Set<() => void>()

  /** Returns a function that removes the listener. */
  add(listener: () => void): () => void {
    this.#all.add(listener)
    return () => this.#all.delete(listener)
  }

  /** Calls every listener. One that throws is reported on the console, and the others are called all the same. */
  tell(): void {
    for (const listener of this.#all) callBack(listener)
  }
}

/**
 * Calls back once: at the next animation frame, or after 16 ms where there are none (in a hidden tab, in a program
 * without a page).
 */
export function onNextAnimationFrame(callback: () => void): void {
  if (globalThis.document?.visibilityState === 'visible') requestAnimationFrame(callback)
  else setTimeout(callback, 16)
}
