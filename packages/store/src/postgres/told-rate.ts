/** How many entries a process tells the others per second, and how many of them at once after a pause. */
const perSecond = 10_000
const atOnce = 1_000

/**
 * Limits how many entries a process tells the others. What is told goes to every process, whether it follows or not. Above
 * this rate it is cheaper when those who follow read the entries from the database, many at a time.
 */
export class ToldRate {
  readonly #now: () => number
  #room = atOnce
  #seenAt: number

  /** `now`: in milliseconds. For tests. */
  constructor(now = () => performance.now()) {
    this.#now = now
    this.#seenAt = now()
  }

  /** Returns whether so many entries may be told now. If so, they count. */
  take(count: number): boolean {
    const now = this.#now()
    this.#room = Math.min(atOnce, this.#room + ((now - this.#seenAt) * perSecond) / 1_000)
    this.#seenAt = now
    if (count > this.#room) return false
    this.#room -= count
    return true
  }
}
