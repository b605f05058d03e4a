import { callBack } from './call-back.ts'

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
