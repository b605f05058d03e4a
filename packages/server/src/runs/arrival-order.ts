import { type LogName, logName } from '@throughline/log'
import type { ChatKey } from '@throughline/protocol'

/**
 * Keeps the order of arrival. A submission that finds its chat busy joins the line in the store, and that takes several
 * reads and writes. In each chat of this process they do so one after the other, in the order in which they came.
 */
export class ArrivalOrder {
  readonly #ends = new Map<LogName, Promise<void>>()

  /** Does the work after everything that came before has ended, with success or not. */
  async inTurn<Result>(chat: ChatKey, work: () => Promise<Result>): Promise<Result> {
    const name = logName(chat)
    const before = this.#ends.get(name)
    const { promise: end, resolve } = Promise.withResolvers<void>()
    this.#ends.set(name, end)
    try {
      await before
      return await work()
    } finally {
      resolve()
      if (this.#ends.get(name) === end) this.#ends.delete(name)
    }
  }
}
