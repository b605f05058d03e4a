/** So many appends in two periods are company to wait for. */
const busyCount = 12

/** Tells whether appends come so closely that it is worth to wait for the next ones. Counts them in periods. */
export class AppendRate {
  readonly #periodMs: number
  #period = 0
  #count = 0
  #countBefore = 0

  /** `periodMs`: how long an append may wait, in milliseconds. */
  constructor(periodMs: number) {
    this.#periodMs = periodMs
  }

  /** An append has come, at this time in milliseconds. */
  note(now: number): void {
    const period = Math.floor(now / this.#periodMs)
    if (period !== this.#period) {
      this.#countBefore = period === this.#period + 1 ? this.#count : 0
      this.#count = 0
      this.#period = period
    }
    this.#count += 1
  }

  /** Whether many appends have come in this period and in the one before it. */
  get isBusy(): boolean {
    return this.#count + this.#countBefore >= busyCount
  }
}
