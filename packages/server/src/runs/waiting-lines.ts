import { type LogName, logName } from '@throughline/log'
import type { ChatKey } from '@throughline/protocol'

/**
 * Submissions that wait for their chat. In each chat they get their turn one after the other, in the order in which
 * they came.
 */
export class WaitingLines {
  readonly #ends = new Map<LogName, Promise<void>>()

  isEmpty(chat: ChatKey): boolean {
    return !this.#ends.has(logName(chat))
  }

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
