/** When a query was sent and when its rows came, by a clock that nobody can set. */
export interface QueryTimes {
  readonly sentAt: number
  readonly receivedAt: number
}

/**
 * The clock of the database as this process knows it. The clocks of machines differ, so what one node writes down and
 * another one compares has this time. Between two looks it goes on with a clock that nobody can set.
 */
export class SharedClock {
  /** The time of the database when the steady clock was at 0. */
  #origin: number | undefined
  readonly #steady: () => number

  /** `steady` returns milliseconds by a clock that nobody can set. Default: `performance.now`. */
  constructor(steady: () => number = () => performance.now()) {
    this.#steady = steady
  }

  /**
   * Learns the time from a query. The database has read its clock at any time while the query was under way, so a smaller
   * difference than that says nothing. It would only make the time jump.
   */
  learn(databaseMs: number, { sentAt, receivedAt }: QueryTimes): void {
    const origin = databaseMs - (sentAt + receivedAt) / 2
    const isKnown = this.#origin !== undefined && Math.abs(origin - this.#origin) <= receivedAt - sentAt
    if (!isKnown) this.#origin = origin
  }

  /** Returns the time in milliseconds since 1970. Before anything is learnt, it is that of this machine. */
  nowMs(): number {
    return this.#origin === undefined ? Date.now() : Math.round(this.#origin + this.#steady())
  }
}
