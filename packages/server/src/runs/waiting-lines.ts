import { type LogName, logName } from '@throughline/log/log-store'
import type { ChatKey } from '@throughline/protocol/ids'

/** Submissions that wait for their chat: one at a time gets its turn, in the order in which they came. */
export class WaitingLines {
  readonly #ends = new Map<LogName, Promise<void>>()

  isEmpty(chat: ChatKey): boolean {
    return !this.#ends.has(logName(chat))
  }

  /** Does the work when everybody who came before has done theirs, whether that succeeded or not. */
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
