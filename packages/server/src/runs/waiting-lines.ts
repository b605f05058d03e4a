import type { LogName } from '@throughline/log/log-store'

/** Submissions that wait for their chat: one at a time gets its turn, in the order in which they came. */
export class WaitingLines {
  readonly #ends = new Map<LogName, Promise<void>>()

  isEmpty(chat: LogName): boolean {
    return !this.#ends.has(chat)
  }

  /** Does the work when everybody who came before has done theirs, whether that succeeded or not. */
  async inTurn<Result>(chat: LogName, work: () => Promise<Result>): Promise<Result> {
    const before = this.#ends.get(chat)
    const { promise: end, resolve } = Promise.withResolvers<void>()
    this.#ends.set(chat, end)
    try {
      await before
      return await work()
    } finally {
      resolve()
      if (this.#ends.get(chat) === end) this.#ends.delete(chat)
    }
  }
}
