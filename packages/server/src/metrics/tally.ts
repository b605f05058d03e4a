/**
 * Counts appends in plain numbers, because there may be tens of thousands in a second. Of the appends of one turn of the
 * event loop, only the first one is timed: the store commits all of them together.
 */
export class Tally {
  readonly #onCommit: (seconds: number) => void
  #entries = 0
  #waiting = 0
  #failed = 0
  #isTimed = false

  constructor(onCommit: (seconds: number) => void) {
    this.#onCommit = onCommit
  }

  /** The entries that were committed. */
  get entries(): number {
    return this.#entries
  }

  /** The appends that have neither succeeded nor failed yet. */
  get waiting(): number {
    return this.#waiting
  }

  /** The appends that failed. */
  get failed(): number {
    return this.#failed
  }

  /** Counts an append with its number of entries, and how it ends. */
  count(appended: Promise<unknown>, entryCount: number): void {
    const startedAt = this.#isTimed ? undefined : this.#startTurn()
    this.#waiting += 1
    appended.then(
      () => {
        this.#waiting -= 1
        this.#entries += entryCount
        if (startedAt !== undefined) this.#onCommit((performance.now() - startedAt) / 1_000)
      },
      () => {
        this.#waiting -= 1
        this.#failed += 1
      },
    )
  }

  #startTurn(): number {
    this.#isTimed = true
    setImmediate(() => {
      this.#isTimed = false
    })
    return performance.now()
  }
}
