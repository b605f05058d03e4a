/** How fast a bucket fills, and how much it holds. */
export interface TokenBucketOptions {
  readonly perSecond: number
  /** The greatest number of tokens: how many can be taken at once after a pause. */
  readonly size: number
  /** In milliseconds. Default: `performance.now`. */
  readonly now?: () => number
}

/** A token bucket: limits a rate, but lets short bursts through. At first it is full. */
export class TokenBucket {
  readonly #perMs: number
  readonly #size: number
  readonly #now: () => number
  #tokens: number
  #filledAt: number

  constructor({ perSecond, size, now = () => performance.now() }: TokenBucketOptions) {
    this.#perMs = perSecond / 1_000
    this.#size = size
    this.#now = now
    this.#tokens = size
    this.#filledAt = now()
  }

  /** Takes tokens, unless there are too few. Returns whether it took them. */
  take(count: number): boolean {
    const now = this.#now()
    this.#tokens = Math.min(this.#size, this.#tokens + (now - this.#filledAt) * this.#perMs)
    this.#filledAt = now
    if (count > this.#tokens) return false
    this.#tokens -= count
    return true
  }
}
