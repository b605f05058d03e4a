/** From this many appends in two periods on, the next commit waits for others. */
const busyCount = 12

/** How long a commit waits for more appends. */
export interface CommitDelayOptions {
  /** Under load, a commit begins this long after the one before it, in milliseconds. */
  readonly waitMs: number
  /**
   * The period in which appends are counted, in milliseconds: the longest time that an append waits, or more. Appends that
   * wait for each other come in bursts, and there must be one in each period.
   */
  readonly periodMs: number
}

/**
 * Says when appends are committed (group commit). A commit costs as much as dozens of appends. So under load they wait for
 * others, to share one. With few appends, nothing waits. All times are in milliseconds, by one clock.
 */
export class CommitDelay {
  readonly #options: CommitDelayOptions
  #period = 0
  #count = 0
  #countBefore = 0
  #committedAt = Number.NEGATIVE_INFINITY

  constructor(options: CommitDelayOptions) {
    this.#options = options
  }

  /** An append has come. */
  noteAppend(now: number): void {
    const period = Math.floor(now / this.#options.periodMs)
    if (period !== this.#period) {
      this.#countBefore = period === this.#period + 1 ? this.#count : 0
      this.#count = 0
      this.#period = period
    }
    this.#count += 1
  }

  /** A commit begins. */
  noteCommit(now: number): void {
    this.#committedAt = now
  }

  /** Returns how long the next commit has to wait. Not above 0 when it may begin now. */
  leftMs(now: number): number {
    const isBusy = this.#count + this.#countBefore >= busyCount
    return isBusy ? this.#committedAt + this.#options.waitMs - now : 0
  }
}
